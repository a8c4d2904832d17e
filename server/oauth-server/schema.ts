import Type, { type Static } from 'typebox'
import { NullableTimestamp, ShownUrl, StrictObject, StringEnum, Timestamp } from '../wire-types.ts'
import { scopes } from './scopes.ts'

const name = Type.String({
  description: 'What the program calls itself; its host if it has no name.',
})
const host = Type.String({
  description:
    "Host of the program's metadata document or, if it registered itself, of the address to which its code is sent.",
})
const scope = StringEnum(scopes, {
  description:
    '`run` starts and cancels runs, `read` reads, `answer` answers requests in the inbox.',
})
const allowed = Type.Array(scope, {
  description: 'Scopes that the person allowed; their role may allow less.',
})

export const Grant = Type.Object(
  {
    id: Type.String({ description: 'Grant id.' }),
    client: Type.Object({ name, host }, { description: 'The program.' }),
    scopes: allowed,
    created_at: Timestamp('When the person allowed it.'),
    last_used_at: NullableTimestamp('When the program last used it, to the minute.'),
    expires_at: Timestamp(
      'When it ends: 30 days after the program last renewed its access, 90 days after the consent at the latest.',
    ),
  },
  { $id: 'Grant', description: 'A program that acts for a person over MCP.' },
)
export type Grant = Static<typeof Grant>

const request = Type.String({
  minLength: 1,
  maxLength: 12_000,
  description: "The parameter `request` of the consent page's address.",
})

export const PreviewGrant = StrictObject(
  { request },
  { $id: 'PreviewGrant', description: 'A request for access.', examples: [{ request: 'AfX4…' }] },
)
export type PreviewGrant = Static<typeof PreviewGrant>

export const GrantRequest = Type.Object(
  {
    client: Type.Object(
      {
        id: Type.String({
          description: "The program's id: an address, or the id of its registration.",
        }),
        name,
        host,
        kind: StringEnum(['document', 'registered'] as const, {
          description:
            '`document`: the host vouches for the name. `registered`: the program registered itself, and nobody checked its name.',
        }),
      },
      { description: 'The program that asks.' },
    ),
    redirect_host: Type.String({ description: 'Host to which the browser goes on.' }),
    is_local: Type.Boolean({
      description: "Whether the browser goes on to a program on the person's own computer.",
    }),
    scopes: allowed,
    expires_at: Timestamp('When the request expires.'),
    denial_url: ShownUrl('Address to go on to if the person denies.'),
  },
  {
    $id: 'GrantRequest',
    description: "A program's request for access, as the consent page shows it.",
  },
)
export type GrantRequest = Static<typeof GrantRequest>

export const CreateGrant = StrictObject(
  {
    request,
    account_id: Type.String({
      minLength: 1,
      maxLength: 100,
      description:
        'The account that the person was shown; refused if the session has switched to another one.',
    }),
  },
  {
    $id: 'CreateGrant',
    description: "The person's consent.",
    examples: [{ request: 'AfX4…', account_id: 'acc_01ktbz3v9se0c9x1hm8q5gkxvn' }],
  },
)
export type CreateGrant = Static<typeof CreateGrant>

export const CreatedGrant = Type.Object(
  {
    id: Type.String({ description: 'Grant id.' }),
    redirect_url: ShownUrl('Address to go on to; contains the code for the program.'),
  },
  { $id: 'CreatedGrant', description: 'The grant, and where the browser goes on.' },
)
export type CreatedGrant = Static<typeof CreatedGrant>
