import { Option, type Command } from 'commander'
import { shortTime } from '../format.ts'
import { addNoun, given, type Call } from '../noun.ts'
import { fields, table, type Output } from '../output.ts'

interface CreateOptions {
  name: string
  role: 'viewer' | 'member' | 'admin'
  expires?: string
}

export function addKeys(program: Command, output: () => Output): void {
  const about = 'create, list and revoke API keys (needs an admin key)'
  const { verb } = addNoun(program, output, 'keys', about)
  verb(
    'create',
    'create a key, which is shown once',
    ({ muster, options: { name, role, expires } }: Call<CreateOptions>) =>
      muster.api_keys.create({ name, role, ...given({ expires_at: expires }) }),
    (key) =>
      fields([
        ['id', key.id],
        ['name', key.name],
        ['role', key.role],
        ['expires', key.expires_at ?? 'never'],
        ['key', `${key.key}  (shown this once)`],
      ]),
  )
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(
      new Option('--role <role>', 'what it may do')
        .choices(['viewer', 'member', 'admin'])
        .makeOptionMandatory(),
    )
    .option('--expires <time>', 'when the key expires, such as 2027-01-01T00:00:00Z')
  verb(
    'list',
    'list the keys, newest first',
    async ({ muster }) => Array.fromAsync(await muster.api_keys.list()),
    (all) =>
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
  verb(
    'revoke <key>',
    'revoke a key, effective at once',
    ({ muster }, id = '') => muster.api_keys.delete(id),
    ({ id }) => `Revoked ${id}.`,
  )
}
