import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { createStep, createWorkflow } from '@mastra/core/workflows'
import { PostgresStore } from '@mastra/pg'
import { z } from 'zod'
import { makeCrew } from '../crew.ts'
import { poolSize, readDatabaseUrl, servePeer } from '../peer-program.ts'

/**
 * Mastra by its pages "Workflows overview", "Suspend and resume" and "PostgreSQL": workflows of the
 * default engine, which stores a snapshot after each step, without a logger. Recovery follows
 * "Restarting active workflow runs": active runs are listed and restarted, here in parallel,
 * because `restartAllActiveWorkflowRuns()` restarts them one by one. The steps call agents with
 * `generate`, as in "Agents and tools"; an agent that is itself a step would stream. The model is
 * named by its URL, as in "Models", under "Use local models with Mastra". No memory, no telemetry.
 */
process.env['MASTRA_TELEMETRY_DISABLED'] = '1'
const agents: Record<string, Agent> = {}
const { callPlanner, callWriter } = makeCrew(({ name, instructions, baseURL }) => {
  const model = { id: 'bench/bench', url: baseURL } as const
  const agent = new Agent({ id: name, name, instructions, model })
  agents[name] = agent
  return async (prompt) => (await agent.generate(prompt)).text
})

const Task = z.object({ input: z.string() })
const Planned = z.object({ input: z.string(), plan: z.string() })
const Written = z.object({ output: z.string() })

const planner = createStep({
  id: 'planner',
  inputSchema: Task,
  outputSchema: Planned,
  execute: async ({ inputData: { input } }) => ({ input, plan: await callPlanner(input) }),
})
const approval = createStep({
  id: 'approval',
  inputSchema: Planned,
  outputSchema: Planned,
  resumeSchema: z.object({ approved: z.boolean() }),
  execute: async ({ inputData, resumeData, suspend }) =>
    resumeData?.approved === true ? inputData : await suspend({}),
})
const writer = createStep({
  id: 'writer',
  inputSchema: Planned,
  outputSchema: Written,
  execute: async ({ inputData: { input, plan } }) => ({ output: await callWriter(input, plan) }),
})

const schemas = { inputSchema: Task, outputSchema: Written }
const crew = createWorkflow({ id: 'crew', ...schemas })
  .then(planner)
  .then(writer)
  .commit()
const askingCrew = createWorkflow({ id: 'asking-crew', ...schemas })
  .then(planner)
  .then(approval)
  .then(writer)
  .commit()

const storage = new PostgresStore({
  id: 'bench',
  connectionString: readDatabaseUrl(),
  max: poolSize,
})
await storage.init()
// The workflows find their storage through it.
const _mastra = new Mastra({ storage, agents, workflows: { crew, askingCrew }, logger: false })

function outputOf(result: { status: string; result?: unknown }): string {
  if (result.status !== 'success') throw new Error(`A run ended as ${result.status}`)
  return Written.parse(result.result).output
}

servePeer({
  async run(id, input) {
    const run = await crew.createRun({ runId: id })
    return outputOf(await run.start({ inputData: { input } }))
  },
  async runToPause(id, input) {
    const run = await askingCrew.createRun({ runId: id })
    const { status } = await run.start({ inputData: { input } })
    if (status !== 'suspended') throw new Error(`${id} is ${status}`)
  },
  async answer(id) {
    const run = await askingCrew.createRun({ runId: id })
    return outputOf(await run.resume({ step: approval, resumeData: { approved: true } }))
  },
  async recover() {
    const { runs } = await crew.listActiveWorkflowRuns()
    await Promise.all(
      runs.map(async ({ runId }) => {
        const run = await crew.createRun({ runId })
        outputOf(await run.restart())
      }),
    )
  },
  async readOutput(id) {
    const state = await crew.getWorkflowRunById(id)
    return state?.status === 'success' ? Written.parse(state.result).output : undefined
  },
})
