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
import { keyRoles } from '../identity.ts'
import Type, { type Static, type TObject } from 'typebox'

const name = Text(120, 'Purpose of the key.')
const role = StringEnum(keyRoles, {
  description:
    'viewer reads; approver also answers requests; member also writes; admin also manages keys and ' +
    'connectors; worker only executes tools of callers.',
})
const fields = {
  id: Type.String({ description: 'Key id.' }),
  name,
  role,
  prefix: Type.String({ description: 'The first characters of the key, to identify it.' }),
  created_at: Timestamp('When the key was created.'),
  expires_at: NullableTimestamp('When the key expires; null means never.'),
  last_used_at: NullableTimestamp('Last use, to the minute; null before the first.'),
}

export const ApiKey = Type.Object(fields, {
  $id: 'ApiKey',
  description: 'An API key without its secret.',
})
export type ApiKey = Static<typeof ApiKey>

export const CreatedApiKey = Type.Object(
  { ...fields, key: Type.String({ description: 'The key itself, shown only once.' }) },
  { $id: 'CreatedApiKey', description: 'A new API key with its secret.' },
)
export type CreatedApiKey = Static<typeof CreatedApiKey>

export const CreateApiKey = StrictObject(
  {
    name: Name(120, 'Purpose of the key'),
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
    description: 'The API key to create.',
  },
)
export type CreateApiKey = Static<typeof CreateApiKey>

export const Account = Type.Object(
  {
    id: Type.String({ description: 'Account id.' }),
    name: Type.String({ description: 'Account name.' }),
    created_at: Timestamp('When the account was created.'),
    key: Type.Object(
      { id: fields.id, name, role, expires_at: fields.expires_at },
      { description: 'The key of this request.' },
    ),
  },
  { $id: 'Account', description: 'The owner of the key.' },
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
  { $id: 'AccountName', description: 'An account and its name.' },
)
export type AccountName = Static<typeof AccountName>

export const Workers = Type.Object(
  {
    alive: Type.Integer({ description: 'Worker processes seen within the last 18 seconds.' }),
    last_seen_at: NullableTimestamp('When a worker was last seen; null if none is known.'),
  },
  { $id: 'Workers', description: 'The worker processes.' },
)

export const AuditEntry = Type.Object(
  {
    id: Type.String({ description: 'Audit entry id.' }),
    created_at: Timestamp('When the change was made.'),
    actor: Type.Object(
      {
        type: StringEnum(['key', 'user', 'system'] as const, {
          description: '`system`: an operator on the server, or the service itself.',
        }),
        id: NullableText('Id of the key or user; null for the system.'),
        name: Type.String({ description: 'Its name at that time.' }),
      },
      { description: 'Who made the change.' },
    ),
    action: Type.String({ description: 'What happened, such as `workflow.updated`.' }),
    object: Type.Object(
      {
        type: Type.String({ description: 'Type of object, such as `workflow`.' }),
        id: Type.String({ description: 'Its id.' }),
      },
      { description: 'The changed object.' },
    ),
    before: NullableObject(
      'The changed fields before, with long texts cut and without secrets; null if the object was created.',
    ),
    after: NullableObject('The same fields after; null if the object was deleted.'),
    address: NullableText('Network address of the caller.'),
    request_id: NullableText('`X-Request-Id` of the request.'),
  },
  {
    $id: 'AuditEntry',
    description: 'One change, recorded in the same transaction and never altered.',
  },
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
        "`activity`: triggered runs, uploaded or written files, and claimed or answered calls of callers' tools; " +
        '`changes`: everything else.',
    }),
  ),
  created_after: TimeFilter('only later changes'),
  created_before: TimeFilter('only earlier changes'),
}
export type AuditQuery = Static<TObject<typeof auditQuery>>
