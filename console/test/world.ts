import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { after, before } from 'node:test'
import type { Browser } from 'playwright-core'
import { Muster } from '../../sdk/client.ts'
import type { UpdateWorkflow } from '../../sdk/generated.ts'
import { startMailServer, type MailServer } from '../../cli/operate/mail-server.ts'
import { startTestMcpServer, type TestMcpServer } from '../../rig/mcp-server.ts'
import {
  callTools,
  complete,
  startTestApp,
  testModel,
  toolResults,
  type ChatRequest,
  type TestApp,
} from '../../test/test-app.ts'
import { sitDown, startBrowser, type Person, type PersonOptions } from './person.ts'

/**
 * A whole service with a mail server, an MCP server `crm` and a scripted model, for a person to work
 * with. An agent does what its script says: `mail`, `refund`, `write` and `ask` call that tool with the JSON that
 * follows; `say` answers with the text that follows; `hang` never answers.
 */
export interface World extends AsyncDisposable {
  app: TestApp
  mail: MailServer
  mcp: TestMcpServer
  muster: Muster
  /** Connects `crm`, anew where it was: what its tools are now is accepted. */
  connect: () => Promise<unknown>
  /** A run of a workflow of its own, of an agent that follows the script. */
  start: (script: string, options?: StartOptions) => Promise<Started>
}

export interface StartOptions {
  name?: string
  input?: string
  /** What the agent's instructions are; the script itself by default. */
  instructions?: string
  people?: NonNullable<UpdateWorkflow['human_in_the_loop']>
  /** What the agent may do beside sending mail and refunding. */
  capabilities?: string[]
}

export interface Started {
  runId: string
  workflowId: string
  agentId: string
  /** Until it rests: waits for a person, or has ended. */
  rests: () => Promise<void>
}

const planner = 'List what an answer has to say, in order.'

const tools: Record<string, string> = {
  mail: 'email__send',
  refund: 'crm__refund',
  write: 'files__write',
  ask: 'request_input',
}

/** `echo` says what it was sent; `refund` takes a number. */
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

export async function makeWorld(env: Record<string, string> = {}): Promise<World> {
  await using stack = new AsyncDisposableStack()
  /** By the instructions of the agent. */
  const scripts = new Map<string, string>([
    [planner, 'say Say what happened, what comes next, and when.'],
  ])
  const mail = stack.use(await startMailServer())
  const mcp = stack.use(await startTestMcpServer())
  mcp.tools = [refund]
  mcp.onCall = ({ arguments: input }) => ({
    content: [{ type: 'text', text: `Paid ${JSON.stringify(input)}` }],
  })
  const app = stack.use(
    await startTestApp({
      answer: (request, response) => answer(scripts, request, response),
      env: {
        MUSTER_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        MUSTER_EMAIL_FROM: 'Muster <muster@example.com>',
        ...env,
      },
    }),
  )
  const muster = new Muster({ apiKey: app.key, baseUrl: app.url })
  const url = mcp.url.replace('mcp.test', '127.0.0.1')
  const connect = () => muster.connectors.connect('crm', { kind: 'mcp', url })
  await connect()
  const all = stack.move()
  return {
    app,
    mail,
    mcp,
    muster,
    connect,
    start: (script, options = {}) => {
      const { instructions = script } = options
      scripts.set(instructions, script)
      return start(muster, instructions, options)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** A world and a browser for the tests of one file. */
export interface Scene {
  world: World
  browser: Browser
  /** Somebody in front of the console, by the key of an admin. */
  sit: (options?: Partial<PersonOptions>) => Promise<Person>
}

/** Set before the first test of the file, and taken down after the last. */
export function setScene(
  env: Record<string, string> = {},
  prepare?: (world: World) => Promise<void>,
): Scene {
  const scene = {
    sit: (options) =>
      sitDown(scene.browser, { url: scene.world.app.url, key: scene.world.app.key, ...options }),
  } as Scene
  before(async () => {
    scene.world = await makeWorld(env)
    await prepare?.(scene.world)
    scene.browser = await startBrowser()
  })
  after(async () => {
    await scene.browser.close()
    await scene.world[Symbol.asyncDispose]()
  })
  return scene
}

/** Somebody new, in front of the console with a session of their own. */
export async function join(
  { browser, world: { app, muster } }: Scene,
  name: string,
  role: 'approver' | 'member' | 'admin',
): Promise<Person> {
  const { link } = await muster.invitations.create({ email: `${name}@example.com`, role })
  const answer = await app.call('POST', '/v1/invitations/accept', {
    key: null,
    body: { token: new URL(link).hash.slice(1), name, password: 'a long enough one' },
  })
  const [, value = ''] = /muster_session=([^;]+)/.exec(answer.headers.getSetCookie()[0] ?? '') ?? []
  const person = await sitDown(browser, { url: app.url })
  await person.context.addCookies([{ name: 'muster_session', value, url: app.url }])
  return person
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
  return {
    runId: run.id,
    workflowId: workflow.id,
    agentId: agent.id,
    rests: async () => void (await muster.runs.wait(run.id, { timeoutMs: 20_000 })),
  }
}

/** Does what the script says, once; then tells what came of it. */
function answer(
  scripts: Map<string, string>,
  request: ChatRequest,
  response: ServerResponse,
): void {
  const system = request.messages.find(({ role }) => role === 'system')?.content ?? ''
  const results = toolResults(request)
  if (results.length > 0) return complete(response, `Done. ${results.join(' ')}`, 420, 60)
  const script = [...scripts].find(([instructions]) => system.includes(instructions))?.[1]
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

export { testModel }
