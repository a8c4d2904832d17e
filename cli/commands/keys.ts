import { Option, type Command } from 'commander'
import { connect } from '../connection.ts'
import { fields, table, type Output } from '../output.ts'
import { shortTime } from '../format.ts'

interface CreateOptions {
  name: string
  role: 'viewer' | 'member' | 'admin'
  expires?: string
}

export function addKeys(program: Command, output: () => Output): void {
  const keys = program
    .command('keys')
    .description('make, list and revoke API keys (needs an admin key)')

  keys
    .command('create')
    .description('make a key, which is shown once')
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(
      new Option('--role <role>', 'what it may do')
        .choices(['viewer', 'member', 'admin'])
        .makeOptionMandatory(),
    )
    .option('--expires <time>', 'when it stops to work, such as 2027-01-01T00:00:00Z')
    .action(async ({ name, role, expires }: CreateOptions, command: Command) => {
      const muster = await connect(command)
      const key = await muster.api_keys.create({
        name,
        role,
        ...(expires === undefined ? {} : { expires_at: expires }),
      })
      output().result(key, () =>
        fields([
          ['id', key.id],
          ['name', key.name],
          ['role', key.role],
          ['expires', key.expires_at ?? 'never'],
          ['key', `${key.key}  (shown this once)`],
        ]),
      )
    })

  keys
    .command('list')
    .description('list the keys, newest first')
    .action(async (_options: object, command: Command) => {
      const muster = await connect(command)
      const all = await Array.fromAsync(await muster.api_keys.list())
      output().result(all, () =>
        table(
          ['ID', 'NAME', 'ROLE', 'KEY', 'EXPIRES', 'LAST USED'],
          all.map((key) => [
            key.id,
            key.name,
            key.role,
            `${key.prefix}…`,
            key.expires_at === null ? 'never' : shortTime(key.expires_at),
            key.last_used_at === null ? 'never' : shortTime(key.last_used_at),
          ]),
        ),
      )
    })

  keys
    .command('revoke')
    .description('revoke a key; it stops to work at once')
    .argument('<id>', 'id of the key')
    .action(async (id: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const deleted = await muster.api_keys.delete(id)
      output().result(deleted, () => `Revoked ${deleted.id}.`)
    })
}
