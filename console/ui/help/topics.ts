/**
 * Where the docs explain what an empty state or a dialog is about: the page, with the section after
 * `#`, and its words in "About …".
 */
export const helpTopics = {
  agents: { page: 'agents', about: 'agents' },
  alerts: { page: 'alerts', about: 'alerts' },
  approvals: { page: 'human-in-the-loop', about: 'approvals' },
  audit: { page: 'security#audit-log', about: 'the audit log' },
  batches: { page: 'batches', about: 'batches' },
  budgets: { page: 'budgets', about: 'budgets' },
  channels: { page: 'channels', about: 'channels' },
  connectors: { page: 'connectors', about: 'connectors' },
  console: { page: 'console', about: 'the console' },
  files: { page: 'files', about: 'files' },
  fineTunes: { page: 'fine-tunes', about: 'fine-tunes' },
  firings: { page: 'schedules#firings', about: 'firings' },
  forks: { page: 'versions#forks', about: 'forks' },
  hookDeliveries: { page: 'hooks#deliveries', about: 'deliveries' },
  hooks: { page: 'hooks', about: 'hooks' },
  hookSecrets: { page: 'hooks#signatures', about: 'signatures' },
  httpApis: { page: 'connectors#http-apis', about: 'HTTP APIs' },
  keyboard: { page: 'console#keyboard-and-phone', about: 'the keyboard' },
  mailboxes: { page: 'mailboxes', about: 'mailboxes' },
  mcpServers: { page: 'connectors#mcp-servers', about: 'MCP servers' },
  memory: { page: 'agents#memory', about: 'memory' },
  models: { page: 'tasks/connect-a-model', about: 'connecting a model' },
  people: { page: 'people', about: 'people' },
  programs: { page: 'tasks/call-the-api', about: 'calling the API' },
  roles: { page: 'security#access-control', about: 'roles' },
  rules: { page: 'human-in-the-loop#rules', about: 'rules' },
  runs: { page: 'console#screens', about: 'runs' },
  schedules: { page: 'schedules', about: 'schedules' },
  sessions: { page: 'people#sessions', about: 'sessions' },
  usage: { page: 'usage', about: 'usage' },
  versions: { page: 'versions', about: 'versions' },
  views: { page: 'console#saved-views', about: 'saved views' },
  webhookDeliveries: { page: 'webhooks#history-and-redelivery', about: 'deliveries' },
  webhookSecrets: { page: 'webhooks#change-the-secret', about: 'signing secrets' },
  webhooks: { page: 'webhooks', about: 'webhooks' },
  workflows: { page: 'tutorial', about: 'creating a workflow' },
} as const satisfies Record<string, { page: string; about: string }>

export type HelpTopic = keyof typeof helpTopics
