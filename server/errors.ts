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
  action_mismatch: ['invalid_request', 'The action does not match the pending request.'],
  invalid_schema: ['invalid_request', 'The JSON Schema is invalid or uses unsupported features.'],
  invalid_data: [
    'invalid_request',
    "The run's data is too large or does not match the workflow's schema.",
  ],
  invalid_arguments: ['invalid_request', "The edited arguments do not match the action's schema."],
  invalid_cursor: ['invalid_request', 'The `after` cursor does not belong to this list.'],
  unknown_model: ['invalid_request', 'The model is unknown or not available to this account.'],
  unknown_role: ['invalid_request', 'The crew has no such role.'],
  unknown_agent: ['invalid_request', 'The account has no agent with this id.'],
  unknown_user: ['invalid_request', 'The account has no user with this id.'],
  unknown_call: ['invalid_request', 'The run is not waiting for a decision on this call.'],
  unknown_connector: ['invalid_request', 'The account has no connector with this id.'],
  unknown_capability: ['invalid_request', 'The capability does not belong to a listed connector.'],
  connector_refused: ['invalid_request', 'The MCP server cannot be used with these settings.'],
  invalid_request: ['invalid_request', 'The HTTP request is malformed.'],
  method_not_allowed: ['invalid_request', 'The path does not support this method.'],
  unsupported_media_type: ['invalid_request', 'The operation does not accept this media type.'],
  unknown_version: ['invalid_request', 'The workflow or agent has no version with this number.'],
  unknown_channel: ['invalid_request', 'The account has no channel with this id.'],
  unknown_workflow: ['invalid_request', 'The account has no workflow with this id.'],
  invalid_url: ['invalid_request', 'The service may not call this URL.'],
  invalid_cron: [
    'invalid_request',
    'The pattern does not have five valid fields, or matches no date.',
  ],
  unknown_time_zone: ['invalid_request', 'The time zone is not an IANA name.'],
  unknown_rule: ['invalid_request', 'The account has no such rule.'],
  invalid_template: ['invalid_request', 'A Liquid template is invalid.'],
  invalid_expression: ['invalid_request', 'A CEL condition is invalid.'],
  unknown_base_model: ['invalid_request', 'The base model cannot be fine-tuned here.'],
  provider_refused: [
    'invalid_request',
    'The provider refused the request; repeating it will not help.',
  ],
  invalid_training_data: ['invalid_request', 'A line of the training data is invalid.'],
  too_few_examples: ['invalid_request', 'The training set has fewer than 10 examples.'],
  invalid_file: [
    'invalid_request',
    'The file has an unsupported type, or is empty, damaged, encrypted or too large to read.',
  ],
  unknown_file: ['invalid_request', 'The account has no file with this id.'],
  idempotency_key_reused: [
    'invalid_request',
    'The Idempotency-Key was used with a different body.',
  ],
  missing_api_key: ['unauthenticated', 'The request has no Authorization: Bearer header.'],
  invalid_api_key: ['unauthenticated', 'The API key is unknown, expired or revoked.'],
  invalid_credentials: ['unauthenticated', 'The email address or the password is wrong.'],
  session_ended: ['unauthenticated', 'The session has ended.'],
  sign_in_failed: ['unauthenticated', 'The OpenID Connect provider did not confirm the sign-in.'],
  invalid_link: ['unauthenticated', 'The one-time link is unknown, used or expired.'],
  sign_in_refused: ['forbidden', 'The user may not sign in here.'],
  no_account: ['forbidden', 'The user belongs to no account.'],
  user_required: ['invalid_request', 'The operation needs a signed-in person, not an API key.'],
  cross_origin: ['forbidden', 'A change made with a session must come from the same origin.'],
  role_required: ['forbidden', 'The caller lacks the required role.'],
  insufficient_scope: ['forbidden', 'The key or the token lacks the scope that a tool needs.'],
  key_expires: ['forbidden', 'A key that expires cannot grant access that outlasts it.'],
  account_suspended: ['forbidden', 'The operator has suspended the account.'],
  invalid_signature: ['unauthenticated', 'The signature is missing or wrong.'],
  sign_in_required: ['forbidden', 'The answer requires a signed-in person.'],
  not_an_approver: ['forbidden', "The caller is not one of the workflow's approvers."],
  four_eyes: [
    'forbidden',
    'The user or key that triggered a run, or is behind what did, may not approve its actions.',
  ],
  not_found: ['not_found', 'The resource does not exist or belongs to another account.'],
  route_not_found: ['not_found', 'The path does not exist.'],
  workflow_paused: ['conflict', 'The workflow is paused and accepts no new runs.'],
  too_many_workflows: ['conflict', 'The account has reached its limit of workflows.'],
  too_many_agents: ['conflict', 'The account has reached its limit of agents.'],
  quota_reached: ['conflict', 'The account has reached a quota set by its operator.'],
  too_many_batches: ['conflict', 'The account has reached its limit of unfinished batches.'],
  budget_reached: ['conflict', 'A budget that refuses further calls is used up.'],
  too_many_budgets: ['conflict', 'The account has reached its limit of budgets.'],
  too_many_bulk_operations: [
    'conflict',
    'The account has reached its limit of bulk operations in progress.',
  ],
  threads_disabled: ['conflict', 'The workflow takes no threads.'],
  thread_full: ['conflict', 'The thread has its maximum of messages that wait for their turn.'],
  thread_closed: ['conflict', 'The thread is closed and accepts no more messages.'],
  thread_busy: ['conflict', 'A turn of the thread is in progress.'],
  batch_not_ended: ['conflict', 'The batch has not ended yet.'],
  too_many_keys: ['conflict', 'The account has reached its limit of API keys.'],
  too_many_bytes: [
    'conflict',
    "The account's workflows, agents or MCP tools have reached their total size limit.",
  ],
  memory_full: ['conflict', 'The memory is full and every entry is pinned.'],
  workflow_in_use: ['conflict', 'The workflow has unfinished runs.'],
  workflow_deleted: ['conflict', "The run's workflow was deleted."],
  version_conflict: ['conflict', 'The live version is not the one that `If-Match` names.'],
  crew_changed: ['conflict', 'The crew changed, so finished steps cannot be kept.'],
  run_not_waiting: ['conflict', 'The run is not waiting for a person.'],
  pending_mismatch: ['conflict', 'The run is waiting for a different request.'],
  call_decided: ['conflict', 'The call has already been decided.'],
  already_approved: ['conflict', 'This person has already approved; others have to approve too.'],
  run_not_at_rest: ['conflict', 'Only a run that has ended or waits for a person can be forked.'],
  run_not_failed: ['conflict', 'Only a failed run can be retried.'],
  user_exists: ['conflict', 'The email address is already taken.'],
  shared_user: [
    'conflict',
    'The person also belongs to another account, so this account alone cannot change them.',
  ],
  last_admin: ['conflict', 'The account would be left without an administrator.'],
  too_many_users: ['conflict', 'The account has reached its limit of users and invitations.'],
  too_many_comments: ['conflict', 'The request has reached its limit of comments.'],
  too_many_alerts: ['conflict', 'The account has reached its limit of alerts.'],
  too_many_views: ['conflict', 'The account has reached its limit of saved views.'],
  name_taken: ['conflict', 'The account has something of this kind with the same name.'],
  too_many_mailboxes: ['conflict', 'The account has reached its limit of mailboxes.'],
  too_many_channels: ['conflict', 'The account has reached its limit of channels.'],
  too_many_webhooks: ['conflict', 'The account has reached its limit of webhook endpoints.'],
  too_many_model_providers: ['conflict', 'The account has reached its limit of model providers.'],
  too_many_schedules: ['conflict', 'The account has reached its limit of schedules.'],
  blocked_by_rule: ['conflict', 'A rule blocks the action, or sets an argument to another value.'],
  too_many_rules: ['conflict', 'The account has reached its limit of rules.'],
  too_many_hooks: ['conflict', 'The account has reached its limit of hooks.'],
  tool_call_answered: ['conflict', 'The tool call has another result already.'],
  tool_call_expired: ['conflict', 'The time of the tool call is over.'],
  tool_call_cancelled: ['conflict', 'The run of the tool call has ended.'],
  lease_lost: ['conflict', 'The caller does not hold the tool call, or no longer.'],
  delivery_pending: ['conflict', 'The delivery is being routed.'],
  delivery_refused: ['conflict', 'The delivery was refused, so its body was not stored.'],
  too_many_connectors: ['conflict', 'The account has reached its limit of MCP servers.'],
  connector_changed: [
    'conflict',
    'The MCP server was reconnected or disconnected while its tools were being listed.',
  ],
  too_many_fine_tunes: ['conflict', 'The account has reached its limit of unfinished fine-tunes.'],
  too_many_files: ['conflict', 'The account has reached its limit of files.'],
  file_in_use: ['conflict', 'An unfinished run uses the file.'],
  file_deleted: ['conflict', 'A file of the run has been deleted.'],
  webhook_inactive: ['conflict', 'The webhook endpoint is inactive, so nothing is sent to it.'],
  too_many_attempts: ['conflict', 'The delivery has reached its limit of attempts.'],
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
    'The request was done with this Idempotency-Key; its response contained a secret and was not stored.',
  ],
  body_too_large: ['payload_too_large', 'The body has too many bytes.'],
  file_too_large: ['payload_too_large', 'The file has more than 32 MB.'],
  training_data_too_large: ['payload_too_large', 'The training data has more than 20 MB.'],
  too_many_sign_ins: ['rate_limited', 'Too many sign-in attempts.'],
  rate_limited: ['rate_limited', 'The key or the account exceeded a rate limit.'],
  too_many_held_requests: [
    'rate_limited',
    'The account has too many open event streams and waiting requests.',
  ],
  database_unavailable: ['unavailable', 'The database is temporarily unavailable.'],
  shutting_down: ['unavailable', 'The process is stopping.'],
  provider_not_configured: [
    'unavailable',
    "The base model's provider has no key on this deployment.",
  ],
  provider_unavailable: [
    'unavailable',
    'The fine-tuning provider is unreachable or refused the request.',
  ],
  file_contents_lost: ['not_found', "The file store no longer has the file's contents."],
  files_unavailable: ['unavailable', 'The file store is temporarily unavailable.'],
  too_many_uploads: ['unavailable', 'The process or the account has too many uploads in progress.'],
  too_busy: ['unavailable', 'The process or the account has too much work in progress.'],
  secret_key_missing: ['unavailable', 'MUSTER_SECRET_KEY is not set on this deployment.'],
  secret_unreadable: [
    'unavailable',
    "A stored secret cannot be decrypted with this deployment's keys.",
  ],
  identity_provider_unavailable: [
    'unavailable',
    'The OpenID Connect provider is unreachable or not configured.',
  ],
  internal: ['internal', 'An internal error; the request id finds it in the logs.'],
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

/** An error of an operation, in the operation's own words. */
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
