/**
 * The one error type of the domain and the closed list of its codes.
 *
 * The domain throws codes; only `http/` turns them into status numbers. Messages read
 * "Cannot <verb> <thing>: <why>". The list below is what `docs/errors.md` documents.
 */

/** The closed list of error types of the wire format. */
export const errorTypes = [
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'payload_too_large',
  'rate_limited',
  'unavailable',
  'internal',
] as const
export type ErrorType = (typeof errorTypes)[number]

/** Every code with its type and what it means. */
export const errorCodes = {
  required: ['invalid_request', 'A required field is missing.'],
  invalid_type: ['invalid_request', 'A field has the wrong JSON type.'],
  invalid_value: ['invalid_request', 'A field has a value that is not among the accepted ones.'],
  invalid_format: ['invalid_request', 'A string does not have the required form.'],
  invalid_characters: ['invalid_request', 'A string holds a NUL or an unpaired surrogate.'],
  string_too_short: ['invalid_request', 'A string has too few characters.'],
  string_too_long: ['invalid_request', 'A string has too many characters.'],
  number_too_small: ['invalid_request', 'A number is below its minimum.'],
  number_too_large: ['invalid_request', 'A number is above its maximum.'],
  array_too_short: ['invalid_request', 'An array has too few items.'],
  array_too_long: ['invalid_request', 'An array has too many items.'],
  unknown_field: ['invalid_request', 'The body has a field that is not accepted.'],
  invalid_json: ['invalid_request', 'The body is not valid JSON in UTF-8.'],
  action_mismatch: ['invalid_request', 'The action does not fit what the run waits for.'],
  invalid_schema: ['invalid_request', 'A JSON Schema is not one that can be checked against.'],
  invalid_data: [
    'invalid_request',
    'The data of a run is too large, or does not fit the schema of its workflow.',
  ],
  invalid_arguments: ['invalid_request', 'Edited arguments do not fit the action.'],
  invalid_cursor: ['invalid_request', 'The value of `after` was not made by this list.'],
  unknown_model: ['invalid_request', 'The model id cannot be routed for this account.'],
  unknown_role: ['invalid_request', 'The role is not one of the crew.'],
  unknown_agent: ['invalid_request', 'The agent id is not one of this account.'],
  unknown_user: ['invalid_request', 'The user id is not one of this account.'],
  unknown_call: ['invalid_request', 'The run does not wait for a decision about the call.'],
  unknown_connector: ['invalid_request', 'The connector id is not one of this account.'],
  unknown_capability: ['invalid_request', 'The capability is not of a connector that is listed.'],
  connector_refused: ['invalid_request', 'The MCP server cannot be used as it was given.'],
  invalid_request: ['invalid_request', 'The HTTP request is malformed.'],
  method_not_allowed: ['invalid_request', 'The path exists, but not with this method.'],
  unsupported_media_type: [
    'invalid_request',
    'The body is of another media type than the operation takes.',
  ],
  unknown_version: ['invalid_request', 'The workflow or agent has no version of that number.'],
  unknown_channel: ['invalid_request', 'The channel id is not one of this account.'],
  unknown_workflow: ['invalid_request', 'The workflow id is not one of this account.'],
  invalid_url: ['invalid_request', 'The URL is not one that the service may call.'],
  invalid_cron: ['invalid_request', 'The pattern has not five valid fields, or no date fits it.'],
  unknown_time_zone: ['invalid_request', 'The time zone is no IANA name.'],
  unknown_rule: ['invalid_request', 'The account has no such rule.'],
  invalid_template: ['invalid_request', 'A Liquid template cannot be read.'],
  invalid_expression: ['invalid_request', 'A CEL condition cannot be read.'],
  unknown_base_model: ['invalid_request', 'The base model is not one that can be tuned here.'],
  provider_refused: ['invalid_request', 'The provider refused it, and would refuse it again.'],
  invalid_training_data: ['invalid_request', 'A line of the training data cannot be used.'],
  too_few_examples: ['invalid_request', 'The training set has fewer than 10 examples.'],
  invalid_file: [
    'invalid_request',
    'The file is of no supported type, empty, damaged, encrypted, or too much to read.',
  ],
  unknown_file: ['invalid_request', 'The file id is not one of this account.'],
  idempotency_key_reused: ['invalid_request', 'The Idempotency-Key was used with another body.'],
  missing_api_key: ['unauthenticated', 'The request has no Authorization: Bearer header.'],
  invalid_api_key: ['unauthenticated', 'The API key is unknown, expired or revoked.'],
  invalid_credentials: ['unauthenticated', 'The email address or the password is wrong.'],
  session_ended: ['unauthenticated', 'The session of the cookie has ended.'],
  sign_in_failed: ['unauthenticated', 'The OpenID Connect provider did not confirm the sign-in.'],
  invalid_link: ['unauthenticated', 'The one-time link is unknown, used or expired.'],
  sign_in_refused: ['forbidden', 'The user may not sign in here.'],
  no_account: ['forbidden', 'The user belongs to no account.'],
  user_required: [
    'invalid_request',
    'The operation is for a person who is signed in, not for a key.',
  ],
  cross_origin: ['forbidden', 'A change with a session must come from the same origin.'],
  role_required: ['forbidden', 'The key lacks the role that the operation needs.'],
  key_expires: ['forbidden', 'The key expires, and what it would grant does not.'],
  account_suspended: ['forbidden', 'The operator has suspended the account.'],
  invalid_signature: ['unauthenticated', 'The request is not signed by whom it claims to be from.'],
  sign_in_required: ['forbidden', 'The answer needs a person who is signed in.'],
  not_an_approver: ['forbidden', 'The workflow says that others answer.'],
  four_eyes: ['forbidden', 'Whoever triggered a run may not approve in it.'],
  not_found: ['not_found', "The resource is absent or another account's."],
  route_not_found: ['not_found', 'The path does not exist.'],
  workflow_paused: ['conflict', 'The workflow is paused and accepts no new runs.'],
  too_many_workflows: ['conflict', 'The account has as many workflows as it may have.'],
  too_many_agents: ['conflict', 'The account has as many agents as it may have.'],
  quota_reached: ['conflict', 'The account has used what its operator allows.'],
  too_many_batches: ['conflict', 'The account has as many open batches as it may have.'],
  budget_reached: ['conflict', 'A budget that refuses further calls is spent.'],
  too_many_budgets: ['conflict', 'The account has as many budgets as it may have.'],
  too_many_bulk_operations: [
    'conflict',
    'The account has as many bulk operations in progress as it may have.',
  ],
  batch_not_ended: ['conflict', 'The batch has not ended yet.'],
  too_many_keys: ['conflict', 'The account has as many API keys as it may have.'],
  too_many_bytes: [
    'conflict',
    "The account's workflows, agents or MCP tools have as many bytes together as they may have.",
  ],
  memory_full: ['conflict', 'Every entry of the full memory is pinned, so none makes room.'],
  workflow_in_use: ['conflict', 'The workflow has runs that are not finished.'],
  workflow_deleted: ['conflict', 'The workflow of the run was deleted.'],
  version_conflict: ['conflict', 'Another version is live than the one that `If-Match` names.'],
  crew_changed: ['conflict', 'The crew changed, so finished steps cannot be taken over.'],
  run_not_waiting: ['conflict', 'The run does not wait for a person.'],
  pending_mismatch: [
    'conflict',
    'The run waits for another request than the one that is answered.',
  ],
  call_decided: ['conflict', 'The call was decided already.'],
  already_approved: ['conflict', 'The person has approved already; others have to.'],
  run_not_at_rest: ['conflict', 'Only a run that has ended, or waits for a person, can be forked.'],
  run_not_failed: ['conflict', 'Only a failed run can be retried.'],
  user_exists: ['conflict', 'The email address is already taken.'],
  shared_user: [
    'conflict',
    'The person belongs to another account too, whose admins count as well.',
  ],
  last_admin: ['conflict', 'The account would be left without anybody who can administer it.'],
  too_many_users: ['conflict', 'The account has as many users and invitations as it may have.'],
  too_many_comments: ['conflict', 'The request has as many comments as it may have.'],
  too_many_alerts: ['conflict', 'The account has as many alerts as it may have.'],
  too_many_mailboxes: ['conflict', 'The account has as many mailboxes as it may have.'],
  too_many_channels: ['conflict', 'The account has as many channels as it may have.'],
  too_many_webhooks: ['conflict', 'The account has as many webhook endpoints as it may have.'],
  too_many_model_providers: ['conflict', 'The account has as many model providers as it may have.'],
  too_many_schedules: ['conflict', 'The account has as many schedules as it may have.'],
  blocked_by_rule: ['conflict', 'A rule blocks the action, or sets an argument to another value.'],
  too_many_rules: ['conflict', 'The account has as many rules as it may have.'],
  too_many_hooks: ['conflict', 'The account has as many hooks as it may have.'],
  delivery_pending: ['conflict', 'The delivery is being routed.'],
  delivery_refused: ['conflict', 'The delivery was refused, and its body was not kept.'],
  too_many_connectors: ['conflict', 'The account has as many MCP servers as it may have.'],
  connector_changed: [
    'conflict',
    'The MCP server was connected anew or disconnected while it was asked for its tools.',
  ],
  too_many_fine_tunes: [
    'conflict',
    'The account has as many fine-tunes that have not ended as it may have.',
  ],
  too_many_files: ['conflict', 'The account has as many files as it may have.'],
  file_in_use: ['conflict', 'A run that has not ended uses the file.'],
  file_deleted: ['conflict', 'A file that the run was given is deleted.'],
  webhook_inactive: ['conflict', 'The webhook endpoint is not active, so nothing is sent to it.'],
  too_many_attempts: ['conflict', 'The delivery was attempted as often as it may be.'],
  last_admin_key: [
    'conflict',
    'The account would be left without an admin key that never expires.',
  ],
  idempotency_in_progress: [
    'conflict',
    'A request with this Idempotency-Key is still in progress.',
  ],
  answer_not_kept: [
    'conflict',
    'The request was done under this Idempotency-Key; its answer held a secret and was not kept.',
  ],
  body_too_large: ['payload_too_large', 'The body has too many bytes.'],
  file_too_large: ['payload_too_large', 'The file has more than 32 MB.'],
  training_data_too_large: ['payload_too_large', 'The training data has more than 20 MB.'],
  too_many_sign_ins: ['rate_limited', 'Too many attempts to sign in.'],
  rate_limited: ['rate_limited', 'The key or the account asked for too much in a minute.'],
  too_many_held_requests: [
    'rate_limited',
    'The account has as many event streams and waiting requests open as it may have.',
  ],
  database_unavailable: [
    'unavailable',
    'The database cannot be reached, or cannot do its work now.',
  ],
  shutting_down: ['unavailable', 'The process is stopping.'],
  provider_not_configured: ['unavailable', 'The provider of the base model has no key here.'],
  provider_unavailable: ['unavailable', 'The fine-tuning provider cannot be reached or refused.'],
  file_contents_lost: ['not_found', 'The store of files has no longer what the file holds.'],
  files_unavailable: ['unavailable', 'The store of file contents cannot be reached or used now.'],
  too_many_uploads: [
    'unavailable',
    'The process has as many uploads in hand as it may, or those of one account.',
  ],
  secret_key_missing: ['unavailable', 'MUSTER_SECRET_KEY is not set on this deployment.'],
  secret_unreadable: [
    'unavailable',
    'A stored secret cannot be opened with the keys of this deployment.',
  ],
  identity_provider_unavailable: [
    'unavailable',
    'The OpenID Connect provider cannot be reached, or none is configured.',
  ],
  internal: ['internal', 'A fault of the service; the request id finds it in the logs.'],
} as const satisfies Record<string, readonly [ErrorType, string]>
export type ErrorCode = keyof typeof errorCodes

export interface ErrorDetails {
  /** Path of the field at fault, such as `crew[2].role`. */
  param?: string
  /** Line of the training data at fault, from 1. */
  line?: number
  /** Seconds after which the same request may succeed. */
  retryAfterSeconds?: number
  cause?: unknown
}

/** An error that a caller can understand and act on. */
export class DomainError extends Error {
  readonly code: ErrorCode
  readonly param: string | undefined
  readonly line: number | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause })
    this.name = 'DomainError'
    this.code = code
    this.param = details.param
    this.line = details.line
    this.retryAfterSeconds = details.retryAfterSeconds
  }

  get type(): ErrorType {
    return errorCodes[this.code][0]
  }
}

/** Refuses what an operation was asked, in its own words. */
export function cannot(
  { action }: { action: string },
  code: ErrorCode,
  why: string,
  details?: ErrorDetails,
): DomainError {
  return new DomainError(code, `Cannot ${action}: ${why}`, details)
}

export function notFound(ctx: { action: string }, what: string, id: string): DomainError {
  return cannot(ctx, 'not_found', `no ${what} ${id}`)
}

export function tooMany(
  ctx: { action: string },
  code: ErrorCode,
  max: number,
  what: string,
): DomainError {
  return cannot(ctx, code, `the account has ${max} ${what}, the maximum`)
}
