/** How sentences and filters name what the audit tells of. */
const nouns: Record<string, string> = {
  account: 'account',
  agent: 'agent',
  alert: 'alert',
  api_key: 'API key',
  channel: 'channel',
  connector: 'connector',
  file: 'file',
  fine_tune: 'fine-tune',
  invitation: 'invitation',
  memory_entry: 'memory entry',
  model_provider: 'model provider',
  pending: 'request',
  run: 'run',
  session: 'session',
  user: 'person',
  webhook: 'webhook',
  workflow: 'workflow',
}

/** Verb phrases, before the name of the object where there is one. */
export const auditPhrases: Record<string, string> = {
  'account.created': 'created account',
  'account.deleted': 'deleted account',
  'account.resumed': 'resumed account',
  'account.suspended': 'suspended account',
  'account.updated': 'changed account',
  'agent.created': 'created agent',
  'agent.deleted': 'deleted agent',
  'agent.updated': 'changed agent',
  'alert.created': 'created alert',
  'alert.deleted': 'deleted alert',
  'alert.updated': 'changed alert',
  'api_key.created': 'created API key',
  'api_key.deleted': 'revoked API key',
  'batch.cancelled': 'cancelled batch',
  'batch.created': 'started batch',
  'batch.retried': 'retried failed items of batch',
  'channel.created': 'created channel',
  'channel.deleted': 'deleted channel',
  'channel.tested': 'sent a test message through channel',
  'channel.updated': 'changed channel',
  'bulk_operation.created': 'started bulk operation',
  'connector.connected': 'connected',
  'connector.disconnected': 'disconnected',
  'connector.tested': 'tested connector',
  'file.deleted': 'deleted file',
  'file.uploaded': 'uploaded file',
  'file.written': 'wrote file',
  'fine_tune.cancelled': 'cancelled fine-tune',
  'fine_tune.created': 'started fine-tune',
  'fine_tune.deleted': 'deleted fine-tune',
  'fine_tune.discarded': 'discarded fine-tune',
  'invitation.accepted': 'accepted the invitation of',
  'invitation.created': 'invited',
  'invitation.deleted': 'withdrew the invitation of',
  'memory_entry.created': 'added memory entry',
  'memory_entry.deleted': 'deleted memory entry',
  'memory_entry.updated': 'changed memory entry',
  'model_provider.removed': 'removed model provider',
  'model_provider.set': 'saved model provider',
  'model_provider.tested': 'tested model provider',
  'pending.assigned': 'assigned request',
  'pending.commented': 'commented on request',
  'policies.updated': 'changed the policies',
  'run.cancelled': 'cancelled run',
  'run.responded': 'answered run',
  'run.retried': 'retried run',
  'run.triggered': 'started run',
  'session.created': 'signed in',
  'session.deleted': 'signed out',
  'session.updated': 'switched account',
  'user.created': 'created person',
  'user.password_reset': 'reset the password of',
  'user.removed': 'removed person',
  'user.reset_requested': 'asked for a new password for',
  'user.updated': 'changed person',
  'webhook.created': 'created webhook',
  'webhook.deleted': 'deleted webhook',
  'webhook.disabled': 'disabled webhook',
  'webhook.redelivered': 'sent again a delivery of webhook',
  'webhook.secret_rotated': 'rotated the secret of webhook',
  'webhook.tested': 'tested webhook',
  'webhook.updated': 'changed webhook',
  'workflow.created': 'created workflow',
  'workflow.deleted': 'deleted workflow',
  'workflow.updated': 'changed workflow',
}

/** Actions whose object is the account's only one, or a session without a name. */
const nameless = new Set([
  'policies.updated',
  'session.created',
  'session.deleted',
  'session.updated',
])
export const hasNamedObject = (action: string): boolean => !nameless.has(action)

export const phraseOf = (action: string): string => auditPhrases[action] ?? action

/** `Workflow updated`, for filters. */
export function actionLabel(action: string): string {
  const [type = '', verb = ''] = action.split('.')
  const words = `${nouns[type] ?? type} ${verb.replaceAll('_', ' ')}`
  return words.charAt(0).toUpperCase() + words.slice(1)
}
