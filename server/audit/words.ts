/**
 * What the audit calls a change: those of operations, and those of what is changed without a request. One that
 * is no longer written stays, as long as rows may have it.
 */
export const auditWords = [
  'account.created',
  'account.deleted',
  'account.resumed',
  'account.suspended',
  'account.updated',
  'agent.created',
  'agent.deleted',
  'agent.updated',
  'api_key.created',
  'api_key.deleted',
  'connector.connected',
  'connector.disconnected',
  'connector.tested',
  'file.deleted',
  'file.uploaded',
  'file.written',
  'fine_tune.cancelled',
  'fine_tune.created',
  'fine_tune.deleted',
  'fine_tune.discarded',
  'invitation.accepted',
  'invitation.created',
  'invitation.deleted',
  'memory_entry.created',
  'memory_entry.deleted',
  'memory_entry.updated',
  'model_provider.removed',
  'model_provider.set',
  'model_provider.tested',
  'policies.updated',
  'run.cancelled',
  'run.responded',
  'run.retried',
  'run.triggered',
  'session.created',
  'session.deleted',
  'session.updated',
  'user.created',
  'user.removed',
  'user.updated',
  'webhook.created',
  'webhook.deleted',
  'webhook.disabled',
  'webhook.redelivered',
  'webhook.secret_rotated',
  'webhook.tested',
  'webhook.updated',
  'workflow.created',
  'workflow.deleted',
  'workflow.updated',
] as const
export type AuditWord = (typeof auditWords)[number]

/** Everyday use of what is set up; all other words are changes. Two partial indexes of the audit name them. */
export const activityWords = [
  'run.triggered',
  'file.uploaded',
  'file.written',
] as const satisfies AuditWord[]
export const auditKinds = ['changes', 'activity'] as const
export type AuditKind = (typeof auditKinds)[number]
