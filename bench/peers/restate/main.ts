import { setTimeout as delay } from 'node:timers/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import * as restate from '@restatedev/restate-sdk'
import * as clients from '@restatedev/restate-sdk-clients'
import { generateText } from 'ai'
import { makeCrew } from '../crew.ts'
import { servePeer } from '../peer-program.ts'

/**
 * Restate by its pages "Workflows", "Durable steps" and "SDK clients": workflows whose model calls
 * are `ctx.run`, a durable promise for the person, submitted through the server's ingress and
 * attached to. The server, a separate process like PostgreSQL for the others, calls this process
 * over HTTP/2 and retries the runs of a killed one itself.
 */
const ingressUrl = process.env['RESTATE_INGRESS_URL'] ?? ''
const adminUrl = process.env['RESTATE_ADMIN_URL'] ?? ''
const port = Number(process.env['RESTATE_SERVICE_PORT'])

const { callPlanner, callWriter } = makeCrew(({ instructions, baseURL }) => {
  const model = createOpenAICompatible({ name: 'bench', baseURL })('bench')
  return async (prompt) => (await generateText({ model, instructions, prompt })).text
})

const crew = restate.workflow({
  name: 'crew',
  handlers: {
    run: async (ctx: restate.WorkflowContext, input: string): Promise<string> => {
      const plan = await ctx.run('planner', () => callPlanner(input))
      return ctx.run('writer', () => callWriter(input, plan))
    },
  },
})

/** Listeners for runs of the asking crew that start to wait. */
const pauseListeners = new Map<string, () => void>()

const askingCrew = restate.workflow({
  name: 'askingCrew',
  handlers: {
    run: async (ctx: restate.WorkflowContext, input: string): Promise<string> => {
      const plan = await ctx.run('planner', () => callPlanner(input))
      const answer = ctx.promise<string>('answer').get()
      pauseListeners.get(ctx.key)?.()
      await answer
      return ctx.run('writer', () => callWriter(input, plan))
    },
    answer: async (ctx: restate.WorkflowSharedContext, text: string): Promise<void> => {
      await ctx.promise<string>('answer').resolve(text)
    },
  },
})

await restate.endpoint().bind(crew).bind(askingCrew).listen(port)
const registered = await fetch(`${adminUrl}/deployments`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
})
if (!registered.ok) throw new Error(`Cannot register: ${await registered.text()}`)

const ingress = clients.connect({ url: ingressUrl })
const crewOf = (id: string) => ingress.workflowClient<typeof crew>({ name: 'crew' }, id)
const askingCrewOf = (id: string) =>
  ingress.workflowClient<typeof askingCrew>({ name: 'askingCrew' }, id)

servePeer({
  async run(id, input) {
    const run = crewOf(id)
    await run.workflowSubmit(input)
    return run.workflowAttach()
  },
  async runToPause(id, input) {
    const { promise, resolve } = Promise.withResolvers<void>()
    pauseListeners.set(id, resolve)
    await askingCrewOf(id).workflowSubmit(input)
    await promise
    pauseListeners.delete(id)
  },
  async answer(id) {
    const run = askingCrewOf(id)
    await run.answer('yes')
    return run.workflowAttach()
  },
  async recover() {
    while ((await countOpen()) > 0) await delay(50)
  },
  async readOutput(id) {
    const output = await crewOf(id).workflowOutput()
    return output.ready ? output.result : undefined
  },
})

async function countOpen(): Promise<number> {
  const answer = await fetch(`${adminUrl}/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({
      query: `select count(*) as open from sys_invocation where status <> 'completed'`,
    }),
  })
  const { rows } = (await answer.json()) as { rows: { open: number }[] }
  return rows[0]?.open ?? 0
}
