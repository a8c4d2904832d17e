import type {
  AuditEntry,
  Connector,
  ModelProvider,
  Policies,
  Usage,
  WebhookEndpoint,
  Workflow,
} from '../sdk/index.ts'
import { exitCodes } from './exit-codes.ts'
import { cost, duration, shortTime } from './format.ts'
import { clean, fields, oneLine, Output, table } from './output.ts'
import { shell } from './shell.ts'
import * as files from './views/files.ts'
import * as fineTunes from './views/fine-tunes.ts'
import * as runs from './views/runs.ts'
import { describeDiff } from './views/versions.ts'
import * as webhooks from './views/webhooks.ts'

/**
 * Views that the columns of a definition cannot express, by the schema of the response or by the
 * operation. A new resource needs none.
 */
type View = (answer: never) => string

export const views: Record<'lists' | 'ones', Record<string, View>> = {
  lists: {
    AuditEntry: listAudit,
    Connector: listActions,
    FineTune: fineTunes.listFineTunes,
    Run: runs.listRuns,
    StoredFile: files.listFiles,
    Usage: listUsage,
    WebhookDelivery: webhooks.listDeliveries,
    WebhookEndpoint: webhooks.listEndpoints,
  },
  ones: {
    Connector: describeConnector,
    FineTune: fineTunes.describeFineTune,
    ModelProvider: describeProvider,
    Policies: describePolicies,
    RunComparison: runs.describeComparison,
    RunWithSteps: runs.describeRun,
    StoredFile: files.describeFile,
    VersionDiff: describeDiff,
    WebhookDeliveryWithBody: webhooks.describeWithBody,
    WebhookEndpoint: webhooks.describeEndpoint,
    WebhookEndpointWithSecret: webhooks.describeEndpoint,
    Workflow: describeWorkflow,
    'fine_tunes.cancel': fineTunes.describeCancelled,
    'runs.cancel': runs.describeCancelled,
    'runs.fork': runs.describeFork,
    'runs.retry': runs.describeRetry,
    'webhooks.rotate_secret': describeRotated,
  },
}

function listAudit(entries: AuditEntry[]): string {
  return table(entries, ['time', 'by', 'action', 'object', 'fields'], {
    time: (entry) => shortTime(entry.created_at),
    by: (entry) => entry.actor.name,
    object: (entry) => entry.object.id,
    fields: (entry) => Object.keys(entry.after ?? entry.before ?? {}).join(', '),
  })
}

function listActions(connectors: Connector[]): string {
  const actions = connectors.flatMap((connector) => connector.actions)
  return table(actions, ['action', 'sensitive', 'available', 'description'], {
    action: ({ id }) => id,
    available: ({ unavailable }) => unavailable === null,
    description: ({ description }) => oneLine(description),
  })
}

function listUsage(rows: Usage[]): string {
  const [first] = rows
  const hasRuns = first !== undefined && first.runs !== null
  const ofRuns = hasRuns ? (['runs', 'failed', 'cancelled'] as const) : []
  return table(rows, ['group', ...ofRuns, 'steps', 'in', 'out', 'p50', 'p95', 'cost'], {
    group: groupOf,
    in: (row) => row.tokens_in,
    out: (row) => row.tokens_out,
    p50: (row) => time(row.duration_p50_ms),
    p95: (row) => time(row.duration_p95_ms),
    cost,
  })
}

function groupOf(row: Usage): string {
  const id = row.day ?? row.workflow ?? row.model ?? row.tag ?? row.agent
  return row.name ?? id ?? 'no agent'
}

function time(ms: number | null): string | null {
  return ms === null ? null : duration(ms)
}

function describeWorkflow(workflow: Workflow): string {
  const crew = workflow.crew.map((entry, order) => {
    const model = entry.model === undefined ? '' : `  (${entry.model})`
    const agent = entry.agentId === undefined ? '' : `  → ${entry.agentId}`
    const prompt = clean(entry.systemPrompt).replaceAll(/^/gm, '   ')
    return `\n${order + 1}. ${oneLine(`${entry.role}${model}${agent}`, 200)}\n${prompt}`
  })
  const first = ['id', 'name', 'description', 'status', 'model'] as const
  const overview = fields(
    workflow,
    [...first, 'human in the loop', 'memory', 'limits', 'warnings', 'updated_at'],
    {
      'human in the loop': ({ human_in_the_loop: { enabled, approvals } }) =>
        enabled ? `on, approvals ${approvals}` : 'off',
      model: ({ model, model_inherited }) =>
        model_inherited ? `${model} (the server's default)` : model,
      warnings: ({ warnings }) => warnings.map(({ message }) => message).join('\n') || undefined,
      memory: ({ memory_enabled }) => (memory_enabled ? 'on' : 'off'),
      limits: ({ limits }) =>
        `${limits.max_turns_per_step} turns per step, ${limits.max_run_seconds}s per run`,
    },
    '–',
  )
  return [overview, ...crew].join('\n')
}

function describePolicies(policies: Policies): string {
  const onOff = (value: boolean): string => (value ? 'on' : 'off')
  const list = (words: string[]): string => words.join(', ') || 'none'
  const names = ['approvals_floor', 'four_eyes', 'require_pending_id', 'web.fetch hosts'] as const
  return fields(
    policies,
    [...names, 'sensitive_actions', 'mails_a_day', 'updated_at'],
    {
      four_eyes: (one) => onOff(one.four_eyes),
      require_pending_id: (one) => onOff(one.require_pending_id),
      'web.fetch hosts': ({ web_fetch_hosts: hosts }) => (hosts === null ? 'any' : list(hosts)),
      sensitive_actions: (one) => list(one.sensitive_actions),
      mails_a_day: (one) => one.mails_a_day ?? 'no limit',
    },
    'never',
  )
}

function describeConnector(connector: Connector): string {
  const sensitive = connector.actions.filter((action) => action.sensitive)
  const login = connector.state === 'needs_login' ? (['login'] as const) : []
  return fields(connector, ['connector', 'url', 'actions', 'sensitive', ...login], {
    login: () => 'needed: log in on the Connectors page of the console',
    connector: ({ id }) => id,
    actions: ({ actions }) => actions.map(({ id }) => id),
    sensitive: () => sensitive.map(({ id }) => id).join(', ') || 'none',
  })
}

function describeProvider(provider: ModelProvider): string {
  if (provider.state === 'failing') shell().exitCode = exitCodes.connectorFailed
  return fields(provider, ['provider', 'base_url', 'models', 'state', 'message'], {
    provider: ({ id }) => id,
    models: ({ id, models }) => models.map((model) => `${id}/${model.id}`),
    message: ({ message }) => clean(message ?? ''),
  })
}

function describeRotated(endpoint: WebhookEndpoint & { secret: string }): string {
  const until = 'update the receiver within that time.'
  new Output(false).note(`The old secret also signs for 24 hours: ${until}`)
  return webhooks.describeEndpoint(endpoint)
}
