import { Option } from 'commander'
import type { CreateApiKey } from '../../sdk/index.ts'
import { given, type Call, type Verbs } from '../noun.ts'
import { fields, table } from '../output.ts'

interface CreateOptions {
  name: string
  role: CreateApiKey['role']
  expires?: string
}

export function addKeys(program: Verbs): void {
  const { verb } = program.noun('keys', 'create, list and revoke API keys (needs an admin key)')
  verb(
    'create',
    'create a key, which is shown once',
    ({ muster, options: { name, role, expires } }: Call<CreateOptions>) =>
      muster.api_keys.create({ name, role, ...given({ expires_at: expires }) }),
    (made) =>
      fields(made, ['id', 'name', 'role', 'expires', 'key'], {
        expires: (key) => key.expires_at ?? 'never',
        key: ({ key }) => `${key}  (shown this once)`,
      }),
  )
    .requiredOption('--name <name>', 'what the key is for')
    .addOption(
      new Option('--role <role>', 'what it may do')
        .choices(['viewer', 'approver', 'member', 'admin'])
        .makeOptionMandatory(),
    )
    .option('--expires <time>', 'when the key expires, such as 2027-01-01T00:00:00Z')
  verb(
    'list',
    'list the keys, newest first',
    async ({ muster }) => Array.fromAsync(await muster.api_keys.list()),
    (all) =>
      table(
        all,
        ['id', 'name', 'role', 'key', 'expires_at', 'last_used_at'],
        { key: ({ prefix }) => `${prefix}…` },
        'never',
      ),
  )
  verb(
    'revoke <key>',
    'revoke a key, effective at once',
    ({ muster }, id = '') => muster.api_keys.delete(id),
    ({ id }) => `Revoked ${id}.`,
  )
}
