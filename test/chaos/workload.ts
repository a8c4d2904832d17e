import type { BenchDatabase } from '../../rig/bench-database.ts'
import type { Subscription } from '../../rig/delivery-judge.ts'
import type { ReceiverProcess } from '../../rig/receiver-process.ts'
import type { Client } from './client.ts'

/**
 * The setup before any fault: connector, agent, workflows, webhooks and a budget that is never used
 * up.
 */
export interface Workflows {
  /** Two agents without tools. */
  plain: string
  /** An agent whose actions need approval and who asks a question, then a plain one. */
  careful: string
  /** The same agent, whose actions need no approval. */
  unattended: string
}

const fails = 0.1
const hangs = 0.01

export async function makeWorkflows(client: Client, sinkUrl: string): Promise<Workflows> {
  const send = createSender(client)
  await send('PUT', '/v1/connectors/sink', { kind: 'mcp', url: sinkUrl, safe_tools: ['read'] })
  const agentId = await send('POST', '/v1/agents', {
    name: 'Clerk',
    role: 'clerk',
    systemPrompt: 'Act on what comes in.',
    connectors: ['sink'],
    capabilities: ['sink.write', 'sink.read'],
  })
  const budget = { name: 'All', scope: 'account', window: 'month', cap_usd: 1_000_000 }
  await send('POST', '/v1/budgets', budget)
  const writer = { role: 'writer', systemPrompt: 'Write about it.' }
  const clerk = { role: 'clerk', systemPrompt: 'Act.', agentId }
  const planner = { role: 'planner', systemPrompt: 'Plan it.' }
  const make = (name: string, first: typeof writer, humanInTheLoop: object): Promise<string> =>
    send('POST', '/v1/workflows', {
      name,
      crew: [first, writer],
      human_in_the_loop: humanInTheLoop,
    })
  return {
    plain: await make('Plain', planner, {}),
    careful: await make('Careful', clerk, { enabled: true }),
    unattended: await make('Unattended', clerk, { enabled: false, approvals: 'never' }),
  }
}

export async function subscribe(
  client: Client,
  database: BenchDatabase,
  receiver: ReceiverProcess,
  workflowId: string,
): Promise<Subscription[]> {
  const send = createSender(client)
  const [account] = await database.query<{ id: string }>('select id from accounts')
  const wanted = [
    {
      path: '/all',
      events: ['run.started', 'run.completed', 'run.failed', 'run.waiting_input'],
      workflowId: undefined,
    },
    { path: '/some', events: ['run.completed'], workflowId },
  ]
  for (const { path, events, workflowId } of wanted) {
    const webhook = { url: receiver.url + path, events, workflow_id: workflowId }
    const secret = await send('POST', '/v1/webhooks', webhook, 'secret')
    receiver.addHooks({ [path]: { secret, fails, hangs } })
  }
  return wanted.map((one) => ({ ...one, accountId: account?.id ?? '' }))
}

/** Sends a request that must succeed; returns a field of its response, by default the id. */
function createSender(client: Client) {
  return async (method: string, path: string, body: unknown, field = 'id'): Promise<string> => {
    const answer = await client.call(method, path, body)
    if (answer === undefined || answer.status >= 300) {
      throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    }
    return answer.body.data[field]
  }
}
