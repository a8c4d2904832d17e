import { auditKinds } from '../audit/words.ts'
import {
  Name,
  NullableObject,
  NullableText,
  NullableTimestamp,
  StrictObject,
  StringEnum,
  Text,
  TimeFilter,
  Timestamp,
} from '../wire-types.ts'
import { roles } from '../identity.ts'
import Type, { type Static, type TObject } from 'typebox'

const name = Text(120, 'What the key is for.')
const role = StringEnum(roles, {
  description:
    'viewer reads; approver also answers what waits for people; member also writes; admin also manages keys and connectors.',
})
const fields = {
  id: Type.String({ description: 'Key id.' }),
  name,
  role,
  prefix: Type.String({ description: 'The first characters of the key, to tell keys apart.' }),
  created_at: Timestamp('When the key was made.'),
  expires_at: NullableTimestamp('When the key expires; null means never.'),
  last_used_at: NullableTimestamp('Last use, to the minute; null before the first.'),
}

export const ApiKey = Type.Object(fields, {
  $id: 'ApiKey',
  description: 'An API key without its secret.',
})
export type ApiKey = Static<typeof ApiKey>

export const CreatedApiKey = Type.Object(
  { ...fields, key: Type.String({ description: 'The key itself, shown this one time.' }) },
  { $id: 'CreatedApiKey', description: 'A new API key with its secret.' },
)
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const CreateApiKey = StrictObject(
  {
    name: Name(120, 'What the key is for'),
    role,
    expires_at: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        format: 'date-time',
        description: 'ISO 8601 time in the future, such as 2027-01-01T00:00:00Z, or null.',
      }),
    ),
  },
  {
    $id: 'CreateApiKey',
    examples: [{ name: 'Nightly reports', role: 'viewer' }],
    description: 'A key to make.',
  },
)
export type CreateApiKey = Static<typeof CreateApiKey>

export const Account = Type.Object(
  {
    id: Type.String({ description: 'Account id.' }),
    name: Type.String({ description: 'Account name.' }),
    created_at: Timestamp('When the account was made.'),
    key: Type.Object(
      { id: fields.id, name, role, expires_at: fields.expires_at },
      { description: 'The key that asks.' },
    ),
  },
  { $id: 'Account', description: 'Who the key belongs to.' },
)
export type Account = Static<typeof Account>

export const RenameAccount = StrictObject(
  { name: Name(120, 'Account name') },
  { $id: 'RenameAccount', examples: [{ name: 'Acme' }], description: 'A new name.' },
)
export type RenameAccount = Static<typeof RenameAccount>

export const AccountName = Type.Object(
  {
    id: Type.String({ description: 'Account id.' }),
    name: Type.String({ description: 'Account name.' }),
  },
  { $id: 'AccountName', description: 'An account and what it is called.' },
)
export type AccountName = Static<typeof AccountName>

export const Workers = Type.Object(
  {
    alive: Type.Integer({ description: 'Processes that said within 18 seconds that they do.' }),
    last_seen_at: NullableTimestamp('When one said so last; null when none is known.'),
  },
  { $id: 'Workers', description: 'The processes that carry runs.' },
)

export const AuditEntry = Type.Object(
  {
    id: Type.String({ description: 'Audit entry id.' }),
    created_at: Timestamp('When it was changed.'),
    actor: Type.Object(
      {
        type: StringEnum(['key', 'user', 'system'] as const, {
          description: '`system`: an operator at the machine, or the service on its own.',
        }),
        id: NullableText('Id of the key or user; null for the system.'),
        name: Type.String({ description: 'Its name at that time.' }),
      },
      { description: 'Who changed it.' },
    ),
    action: Type.String({ description: 'What happened, such as `workflow.updated`.' }),
    object: Type.Object(
      {
        type: Type.String({ description: 'Kind of object, such as `workflow`.' }),
        id: Type.String({ description: 'Its id.' }),
      },
      { description: 'What was changed.' },
    ),
    before: NullableObject(
      'The changed fields before, long texts cut, without secrets; null where there was no object.',
    ),
    after: NullableObject('The same fields after; null where the object is gone.'),
    address: NullableText('Network address of the caller.'),
    request_id: NullableText('`X-Request-Id` of the request.'),
  },
  { $id: 'AuditEntry', description: 'One change, written together with it and never altered.' },
)
export type AuditEntry = Static<typeof AuditEntry>

const word = (description: string) => Type.Optional(Text(100, description))

export const auditQuery = {
  actor_id: word('Only changes by this key or user.'),
  action: word('Only changes of this kind.'),
  object_id: word('Only changes of this object.'),
  kind: Type.Optional(
    StringEnum(auditKinds, {
      description:
        '`activity` is runs that were triggered and files that were uploaded or written; `changes` is all else.',
    }),
  ),
  created_after: TimeFilter('only later changes'),
  created_before: TimeFilter('only earlier changes'),
}
export type AuditQuery = Static<TObject<typeof auditQuery>>
