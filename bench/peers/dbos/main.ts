import { setTimeout as delay } from 'node:timers/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { generateText } from 'ai'
import { makeCrew } from '../crew.ts'
import { poolSize, readDatabaseUrl, servePeer } from '../peer-program.ts'

/**
 * DBOS Transact by its pages "Workflows", "Communicating with Workflows" and "Workflow Recovery": a
 * workflow function whose model calls are steps, started directly instead of through a queue, which
 * would be polled. `DBOS.launch` recovers the runs of a killed process. Each model call is a step,
 * as in "AI Quickstart", made by the AI SDK's `generateText`, as in "Vercel AI SDK". The middleware
 * of that page, which creates such steps itself and stores the whole answer instead of its text,
 * does not support DBOS newer than 4.
 */
const { callPlanner, callWriter } = makeCrew(({ instructions, baseURL }) => {
  const model = createOpenAICompatible({ name: 'bench', baseURL })('bench')
  return async (prompt) => (await generateText({ model, instructions, prompt })).text
})
const plan = (input: string) => DBOS.runStep(() => callPlanner(input), { name: 'planner' })
const write = (input: string, plan: string) =>
  DBOS.runStep(() => callWriter(input, plan), { name: 'writer' })

const crew = DBOS.registerWorkflow(async (input: string) => write(input, await plan(input)), {
  name: 'crew',
})

/** Listeners for runs of the asking crew that start to wait. */
const pauseListeners = new Map<string, () => void>()
const longestWaitSeconds = 24 * 60 * 60

const askingCrew = DBOS.registerWorkflow(
  async (input: string) => {
    const planned = await plan(input)
    const answer = DBOS.recv<string>('answer', { timeoutSeconds: longestWaitSeconds })
    pauseListeners.get(DBOS.workflowID ?? '')?.()
    if ((await answer) === null) throw new Error('Nobody answered')
    return write(input, planned)
  },
  { name: 'asking-crew' },
)

DBOS.setConfig({
  name: 'bench',
  systemDatabaseUrl: readDatabaseUrl(),
  systemDatabasePoolSize: poolSize,
  logLevel: 'error',
})
await DBOS.launch()

servePeer({
  async run(id, input) {
    const handle = await DBOS.startWorkflow(crew, { workflowID: id })(input)
    return handle.getResult()
  },
  async runToPause(id, input) {
    const { promise, resolve } = Promise.withResolvers<void>()
    pauseListeners.set(id, resolve)
    await DBOS.startWorkflow(askingCrew, { workflowID: id })(input)
    await promise
    pauseListeners.delete(id)
  },
  async answer(id) {
    await DBOS.send(id, 'yes', 'answer')
    return DBOS.retrieveWorkflow<string>(id).getResult({ pollingIntervalMs: 50 })
  },
  async recover() {
    const filter = { status: ['PENDING', 'ENQUEUED'] as const, loadInput: false, limit: 1 }
    while ((await DBOS.listWorkflows({ ...filter, status: [...filter.status] })).length > 0) {
      await delay(20)
    }
  },
  readOutput: async (id) => (await DBOS.getWorkflowStatus(id))?.output as string | undefined,
})
