/** Action of an audit entry, such as `workflow.updated`. Operations define their own. */
export type AuditWord = `${string}.${string}`

/**
 * Actions without a request, by the service itself or by an operator on the database, and
 * additional actions of operations. An action that is no longer used stays here as long as entries
 * may have it.
 */
export const systemWords = [
  'account.created',
  'account.deleted',
  'account.resumed',
  'account.suspended',
  'account.updated',
  'agent.drafted',
  'api_key.created',
  'connector.logged_in',
  'connector.login_ended',
  'file.written',
  'fine_tune.discarded',
  'grant.ended',
  'invitation.created',
  'schedule.paused',
  'user.password_reset',
  'user.removed',
  'user.reset_requested',
  'user.updated',
  'webhook.disabled',
  'workflow.drafted',
] as const
export type SystemWord = (typeof systemWords)[number]

/**
 * Everyday use; all other actions are changes. Two partial indexes of the audit log depend on this
 * list.
 */
export const activityWords = [
  'run.triggered',
  'file.uploaded',
  'file.written',
  'tool_call.claimed',
  'tool_call.answered',
  'thread.message_sent',
] as const satisfies AuditWord[]
export const auditKinds = ['changes', 'activity'] as const
export type AuditKind = (typeof auditKinds)[number]
