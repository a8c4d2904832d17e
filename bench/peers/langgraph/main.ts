import { Annotation, Command, END, interrupt, START, StateGraph } from '@langchain/langgraph'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { ChatOpenAI } from '@langchain/openai'
import pg from 'pg'
import { makeCrew } from '../crew.ts'
import { poolSize, readDatabaseUrl, servePeer } from '../peer-program.ts'

/**
 * LangGraph.js by its pages "Persistence", "Durable execution" and "Interrupts": a graph compiled
 * with the PostgreSQL checkpointer, a thread for each run. DURABILITY is `sync`, which stores each
 * checkpoint before the next node starts, or `async`, the library's default, which stores it
 * meanwhile. It does not recover by itself: the application invokes each interrupted thread again,
 * without an input. The nodes call a chat model as in "Workflows and agents", here `ChatOpenAI`
 * with the base URL of "ChatOpenAI integration" and its defaults: no streaming, six retries, none
 * of which is needed.
 */
const durability = process.env['DURABILITY'] === 'async' ? 'async' : 'sync'
const pool = new pg.Pool({ connectionString: readDatabaseUrl(), max: poolSize })
const checkpointer = new PostgresSaver(pool)
await checkpointer.setup()

const { callPlanner, callWriter } = makeCrew(({ instructions, baseURL }) => {
  const model = new ChatOpenAI({ model: 'bench', apiKey: 'none', configuration: { baseURL } })
  return async (prompt) => {
    const { text } = await model.invoke([
      { role: 'system', content: instructions },
      { role: 'user', content: prompt },
    ])
    return text
  }
})

const State = Annotation.Root({
  input: Annotation<string>,
  plan: Annotation<string>,
  output: Annotation<string>,
})
type CrewState = typeof State.State

const plan = async ({ input }: CrewState) => ({ plan: await callPlanner(input) })
const write = async ({ input, plan }: CrewState) => ({ output: await callWriter(input, plan) })

const crew = new StateGraph(State)
  .addNode('planner', plan)
  .addNode('writer', write)
  .addEdge(START, 'planner')
  .addEdge('planner', 'writer')
  .addEdge('writer', END)
  .compile({ checkpointer })

const askingCrew = new StateGraph(State)
  .addNode('planner', plan)
  .addNode('approval', () => {
    interrupt('Shall the writer go on?')
    return {}
  })
  .addNode('writer', write)
  .addEdge(START, 'planner')
  .addEdge('planner', 'approval')
  .addEdge('approval', 'writer')
  .addEdge('writer', END)
  .compile({ checkpointer })

const thread = (id: string) => ({ configurable: { thread_id: id }, durability }) as const

servePeer({
  run: async (id, input) => (await crew.invoke({ input }, thread(id))).output,
  async runToPause(id, input) {
    const state: object = await askingCrew.invoke({ input }, thread(id))
    if (!('__interrupt__' in state)) throw new Error(`${id} does not wait`)
  },
  answer: async (id) =>
    (await askingCrew.invoke(new Command({ resume: 'yes' }), thread(id))).output,
  async recover() {
    // The library cannot list threads; an application would know its own.
    const { rows } = await pool.query<{ id: string }>(
      'select distinct thread_id as id from checkpoints',
    )
    await Promise.all(
      rows.map(async ({ id }) => {
        // `next` omits a node whose writes are stored but whose checkpoint is not.
        const { tasks } = await crew.getState(thread(id))
        if (tasks.length > 0) await crew.invoke(null, thread(id))
      }),
    )
  },
  readOutput: async (id) => ((await crew.getState(thread(id))).values as CrewState).output,
})
