import { setTimeout as delay } from 'node:timers/promises'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'
import { OpenWorkflow } from 'openworkflow'
import { BackendPostgres } from 'openworkflow/postgres'
import postgres from 'postgres'
import { makeCrew } from '../crew.ts'
import { readDatabaseUrl, servePeer } from '../peer-program.ts'

/**
 * OpenWorkflow by its pages "Quickstart", "Core concepts" and "Signals": a worker with 500 slots
 * that polls PostgreSQL for runs, each model call a step, `waitForSignal` for the person. Another
 * worker takes over the runs of a killed one when their lease of 30 s has expired. Its client polls
 * once a second whether a run has ended; here its backend reports it at once, which is in its
 * favor.
 */
const places = 500
const { callPlanner, callWriter } = makeCrew(({ instructions, baseURL }) => {
  const model = createOpenAICompatible({ name: 'bench', baseURL })('bench')
  return async (prompt) => (await generateText({ model, instructions, prompt })).text
})

// Its PostgreSQL client reads the folder of a Unix socket from the environment, not from the URL.
const url = new URL(readDatabaseUrl())
process.env['PGHOST'] = url.searchParams.get('host') ?? url.hostname
process.env['PGPORT'] = url.port
process.env['PGUSER'] = url.username
const databaseUrl = `postgres://${url.pathname}`
const backend = await BackendPostgres.connect(databaseUrl)
const ow = new OpenWorkflow({ backend })

const endListeners = new Map<string, (output: string) => void>()
const pauseListeners = new Map<string, () => void>()
const completeWorkflowRun = backend.completeWorkflowRun.bind(backend)
backend.completeWorkflowRun = async (params) => {
  const run = await completeWorkflowRun(params)
  endListeners.get(run.id)?.(run.output as string)
  return run
}

const crew = ow.defineWorkflow<string, string>({ name: 'crew' }, async ({ input, step }) => {
  const plan = await step.run({ name: 'planner' }, () => callPlanner(input))
  return step.run({ name: 'writer' }, () => callWriter(input, plan))
})

const askingCrew = ow.defineWorkflow<{ id: string; input: string }, string>(
  { name: 'asking-crew' },
  async ({ input: { id, input }, step }) => {
    const plan = await step.run({ name: 'planner' }, () => callPlanner(input))
    pauseListeners.get(id)?.()
    if ((await step.waitForSignal({ signal: id })) === null) throw new Error('Nobody answered')
    return step.run({ name: 'writer' }, () => callWriter(input, plan))
  },
)

await ow.newWorker({ concurrency: places }).start()
const looks = postgres(databaseUrl, { max: 1 })

servePeer({
  async run(id, input) {
    const ended = Promise.withResolvers<string>()
    const { workflowRun } = await crew.run(input, { idempotencyKey: id })
    endListeners.set(workflowRun.id, ended.resolve)
    return ended.promise.finally(() => endListeners.delete(workflowRun.id))
  },
  async runToPause(id, input) {
    const paused = Promise.withResolvers<void>()
    pauseListeners.set(id, paused.resolve)
    await askingCrew.run({ id, input }, { idempotencyKey: id })
    await paused.promise
    pauseListeners.delete(id)
  },
  async answer(id) {
    // A signal that arrives before the wait is dropped.
    for (;;) {
      const { workflowRunIds } = await ow.sendSignal({ signal: id, data: 'yes' })
      const [runId] = workflowRunIds
      if (runId !== undefined) return await outputOf(id)
      await delay(20)
    }
  },
  async recover() {
    for (;;) {
      const { pending, running } = await backend.countWorkflowRuns()
      if (pending + running === 0) return
      await delay(50)
    }
  },
  readOutput: (id) => readOutput(id),
})

async function readOutput(id: string): Promise<string | undefined> {
  const [row] = await looks<{ output: string | null }[]>`
    select output from openworkflow.workflow_runs where idempotency_key = ${id}`
  return row?.output ?? undefined
}

async function outputOf(id: string): Promise<string> {
  for (;;) {
    const output = await readOutput(id)
    if (output !== undefined) return output
    await delay(50)
  }
}
