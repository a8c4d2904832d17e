/** What the audit calls a change, such as `workflow.updated`. The words of operations are in their definitions. */
export type AuditWord = `${string}.${string}`

/**
 * Words of changes without a request: by the service itself, or by an operator on the database; and those that an
 * operation writes besides its own. A word that is no
 * longer written, also one of an operation that is gone, stays here as long as rows may have it.
 */
export const systemWords = [
  'account.created',
  'account.deleted',
  'account.resumed',
  'account.suspended',
  'account.updated',
  'agent.drafted',
  'api_key.created',
  'file.written',
  'fine_tune.discarded',
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

/** Everyday use of what is set up; all other words are changes. Two partial indexes of the audit name them. */
export const activityWords = [
  'run.triggered',
  'file.uploaded',
  'file.written',
] as const satisfies AuditWord[]
export const auditKinds = ['changes', 'activity'] as const
export type AuditKind = (typeof auditKinds)[number]
