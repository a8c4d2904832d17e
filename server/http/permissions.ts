/**
 * The one table of who may do what. Every route under `/v1` has an operation, and a route without a
 * row here does not start. A role may do all that the roles before it may.
 */
export const roles = ['viewer', 'member', 'admin'] as const
export type Role = (typeof roles)[number]

export const permissions = {
  'account.retrieve': 'viewer',
  'api_keys.list': 'admin',
  'api_keys.create': 'admin',
  'api_keys.delete': 'admin',
  'models.list': 'viewer',
  'workflows.list': 'viewer',
  'workflows.retrieve': 'viewer',
  'workflows.create': 'member',
  'workflows.update': 'member',
  'workflows.delete': 'member',
  'runs.list': 'viewer',
  'runs.retrieve': 'viewer',
  'runs.events': 'viewer',
  'runs.create': 'member',
  'runs.respond': 'member',
  'pending.list': 'viewer',
  'runs.cancel': 'member',
  'runs.retry': 'member',
  'connectors.list': 'viewer',
  'connectors.connect': 'admin',
  'connectors.test': 'admin',
  'connectors.disconnect': 'admin',
  'agents.list': 'viewer',
  'agents.retrieve': 'viewer',
  'agents.create': 'member',
  'agents.update': 'member',
  'agents.delete': 'member',
  'agents.memory.list': 'viewer',
  'agents.memory.retrieve': 'viewer',
  'agents.memory.create': 'member',
  'agents.memory.update': 'member',
  'agents.memory.delete': 'member',
  'workflows.memory.list': 'viewer',
  'workflows.memory.retrieve': 'viewer',
  'workflows.memory.create': 'member',
  'workflows.memory.update': 'member',
  'workflows.memory.delete': 'member',
  'webhooks.list': 'viewer',
  'webhooks.retrieve': 'viewer',
  'webhooks.deliveries': 'viewer',
  'webhooks.create': 'member',
  'webhooks.update': 'member',
  'webhooks.delete': 'member',
  'webhooks.rotate_secret': 'member',
  'webhooks.test': 'member',
  'webhooks.redeliver': 'member',
  'fine_tunes.list': 'viewer',
  'fine_tunes.retrieve': 'viewer',
  'fine_tunes.events': 'viewer',
  'fine_tunes.preview': 'member',
  'fine_tunes.create': 'member',
  'fine_tunes.cancel': 'member',
  'fine_tunes.delete': 'member',
} as const satisfies Record<string, Role>

export type Operation = keyof typeof permissions

export function allows(role: Role, operation: Operation): boolean {
  return roles.indexOf(role) >= roles.indexOf(permissions[operation])
}
