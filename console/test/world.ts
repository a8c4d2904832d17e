import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { Muster } from '../../sdk/client.ts'
import type { CreateRun, RunWithSteps, UpdateWorkflow } from '../../sdk/generated.ts'
import type { RunAnswer } from '../../sdk/runs.ts'
import { startMailServer, type MailServer } from '../../cli/operate/mail-server.ts'
import { startTestMcpServer, type TestMcpServer } from '../../rig/mcp-server.ts'
import { createAccount } from '../../server/accounts/create-account.ts'
import {
  callTools,
  complete,
  startTestApp,
  toolResults,
  type ChatRequest,
  type ModelAnswer,
  type TestApp,
} from '../../test/test-app.ts'

/** A whole service with a mail server, an MCP server and a scripted model. */
export interface Service extends AsyncDisposable {
  app: TestApp
  mail: MailServer
  mcp: TestMcpServer
  /** The script of each agent, by the agent's instructions. */
  scripts: Map<string, Script>
}

/**
 * What an agent does. `mail`, `refund`, `write` and `ask` call that tool with the JSON that
 * follows; `say` answers with the text that follows; `hang` never answers. A function writes the
 * answer itself.
 */
type Script = string | ModelAnswer

/** An account of a service, with the MCP server connected as `crm`. */
export interface World extends Omit<Service, typeof Symbol.asyncDispose> {
  muster: Muster
  /** Connects `crm`, or connects it again, which accepts its current tools. */
  connect: () => Promise<unknown>
  /**
   * Starts a run of a new workflow whose agent follows the script; waits until the run is idle,
   * unless the script hangs.
   */
  start: (script: string, options?: StartOptions) => Promise<Started>
  /** Starts a further run of a workflow and returns it when it is idle. */
  run: (workflowId: string, body: CreateRun) => Promise<RunWithSteps>
  /** Answers what the run waits for. */
  respond: (runId: string, answer: RunAnswer) => Promise<unknown>
  /** Adds a person to the account and returns the cookie value of a session. */
  addPerson: (name: string, role: 'approver' | 'member' | 'admin') => Promise<string>
}

export interface StartOptions {
  name?: string
  input?: string
  /** The agent's instructions; by default the script itself. */
  instructions?: string
  people?: NonNullable<UpdateWorkflow['human_in_the_loop']>
  /** What the agent does; the `script` argument is then only its name. */
  script?: Script
  /** The agent's capabilities beside sending mail and refunding. */
  capabilities?: string[]
}

export interface Started {
  runId: string
  workflowId: string
  agentId: string
  /** Resolves when the run waits for a person or has ended. */
  rests: () => Promise<RunWithSteps>
  /** Resolves with the run and its last call, when the run is idle. */
  result: () => Promise<{ run: RunWithSteps; call: ToolCall | undefined }>
}

type ToolCall = RunWithSteps['steps'][number]['tool_calls'][number]

const planner = 'List what an answer has to say, in order.'

const tools: Record<string, string> = {
  mail: 'email__send',
  refund: 'crm__refund',
  write: 'files__write',
  ask: 'request_input',
}

export const refundScript = 'refund {"customer": "C-17", "amount": 500, "reason": "late"}'

const refund = {
  name: 'refund',
  description: 'Pays money back to a customer.',
  inputSchema: {
    type: 'object',
    properties: {
      customer: { type: 'string', description: 'Number of the customer' },
      amount: { type: 'number', description: 'In euros' },
      express: { type: 'boolean' },
      reason: { type: 'string', enum: ['damaged', 'late', 'goodwill'] },
    },
    required: ['customer', 'amount'],
  },
}

export const password = 'a long enough one'

export async function startService(env: Record<string, string> = {}): Promise<Service> {
  await using stack = new AsyncDisposableStack()
  const scripts: Service['scripts'] = new Map()
  const mail = stack.use(await startMailServer())
  const mcp = stack.use(await startTestMcpServer())
  const app = stack.use(
    await startTestApp({
      answer: (...call) => answer(scripts, ...call),
      env: {
        MUSTER_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        MUSTER_EMAIL_FROM: 'Muster <muster@example.com>',
        MUSTER_WEBHOOK_SCHEDULE: '0,600',
        ...env,
      },
    }),
  )
  const all = stack.move()
  return { app, mail, mcp, scripts, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** A world in the account `default`, or in a new account beside those of earlier worlds. */
export async function makeWorld(service: Service, account?: string): Promise<World> {
  const { mail, mcp, scripts } = service
  const app = account === undefined ? service.app : await enterNewAccount(service.app, account)
  scripts.clear()
  scripts.set(planner, 'say Say what happened, what comes next, and when.')
  mcp.tools = [refund]
  mcp.onCall = ({ arguments: input }) => ({
    content: [{ type: 'text', text: `Paid ${JSON.stringify(input)}` }],
  })
  const muster = new Muster({ apiKey: app.key, baseUrl: app.url })
  const url = mcp.url.replace('mcp.test', '127.0.0.1')
  const connect = () => muster.connectors.connect('crm', { kind: 'mcp', url })
  await connect()
  return {
    app,
    mail,
    mcp,
    scripts,
    muster,
    connect,
    start: async (script, options = {}) => {
      const { instructions = script } = options
      scripts.set(instructions, options.script ?? script)
      const started = await start(muster, instructions, options)
      if (script !== 'hang') await started.rests()
      return started
    },
    run: async (workflowId, body) => {
      const { id } = await muster.runs.create(workflowId, body)
      return muster.runs.wait(id, { timeoutMs: 60_000 })
    },
    respond: async (runId, given) => {
      const { pending } = await muster.runs.wait(runId)
      return muster.runs.respond(runId, { ...given, pending_id: pending?.id ?? '' })
    },
    addPerson: async (name, role) => {
      // Email addresses are unique across the accounts of a service.
      const local = name.toLowerCase().replaceAll(' ', '.')
      const email = `${local}@${account ?? 'shop'}.example.com`
      const { link } = await muster.invitations.create({ email, role })
      const accepted = await app.call('POST', '/v1/invitations/accept', {
        key: null,
        body: { token: new URL(link).hash.slice(1), name, password },
      })
      const [, session = ''] =
        /muster_session=([^;]+)/.exec(accepted.headers.getSetCookie()[0] ?? '') ?? []
      return session
    },
  }
}

/** The same service, seen with the key of another account. */
async function enterNewAccount(app: TestApp, name: string): Promise<TestApp> {
  const { adminKey: key } = await createAccount(app.database, name)
  return {
    ...app,
    key,
    call: (method, path, options) => app.call(method, path, { key, ...options }),
    post: (path, body, by = key) => app.post(path, body, by),
    rest: (runId, by = key) => app.rest(runId, by),
  }
}

async function start(
  muster: Muster,
  instructions: string,
  {
    name = 'Support',
    input = 'Order 4711 came late.',
    people = {},
    capabilities = [],
  }: StartOptions,
): Promise<Started> {
  const agent = await muster.agents.create({
    name: `Clerk of ${name}`,
    role: 'clerk',
    systemPrompt: instructions,
    connectors: ['email', 'crm'],
    capabilities: ['email.send', 'crm.refund', ...capabilities],
  })
  const workflow = await muster.workflows.create({
    name,
    crew: [
      { role: 'planner', systemPrompt: planner },
      { role: 'clerk', systemPrompt: 'You are a clerk.', agentId: agent.id },
    ],
    human_in_the_loop: { enabled: true, ...people },
  })
  const run = await muster.runs.create(workflow.id, { input })
  const rests = () => muster.runs.wait(run.id, { timeoutMs: 20_000 })
  const result = async () => {
    const run = await rests()
    return { run, call: run.steps.at(-1)?.tool_calls[0] }
  }
  return { runId: run.id, workflowId: workflow.id, agentId: agent.id, rests, result }
}

/** Makes the call of the script once, then answers with its result. */
function answer(
  scripts: Service['scripts'],
  request: ChatRequest,
  response: ServerResponse,
  call: number,
): void {
  const system = request.messages.find(({ role }) => role === 'system')?.content ?? ''
  const script = [...scripts].find(([instructions]) => system.includes(instructions))?.[1]
  if (typeof script === 'function') return script(request, response, call)
  const results = toolResults(request)
  if (results.length > 0) return complete(response, `Done. ${results.join(' ')}`, 420, 60)
  const lines = script?.split('\n') ?? []
  const [verb = '', rest = ''] = /^(\w+) (.*)$/.exec(lines[0] ?? '')?.slice(1) ?? []
  if (lines[0] === 'hang') return
  const tool = tools[verb]
  if (tool === undefined) return complete(response, rest || 'All is well.', 310, 48)
  assert.ok(
    request.tools?.some(({ function: { name } }) => name === tool),
    `no tool ${tool}`,
  )
  callTools(
    response,
    lines.map((one, index) => ({
      id: `call-${index}`,
      name: tool,
      arguments: one.slice(verb.length + 1),
    })),
    350,
    40,
  )
}
