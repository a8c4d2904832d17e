import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  contenderNames,
  rounds,
  type Comparison,
  type ContenderName,
  type Standing,
  type Throughput,
} from './peers.ts'
import { peerFolder } from '../rig/peer-process.ts'
import { round } from '../rig/measure.ts'
import { describeMachine, toTable } from './report.ts'

/** What was compared, as the second part of the page. */
export async function toPeersReport({ standings, bare }: Comparison): Promise<string> {
  const rows = await Promise.all(
    [...standings].map(async ([name, standing]) => [await title(name), ...toCells(standing)]),
  )
  const bareRows = await Promise.all(
    [...bare].map(async ([name, throughput]) => [
      await title(name),
      ...toBareCells(throughput, standings.get(name)),
    ]),
  )
  return `One crew of two agents, 2 KB of input, one model call each: carried by Muster and by others that keep agents' or any work alive, nearly all of them in PostgreSQL. Measured by \`npm run bench -- peers\`, ${new Date().toISOString().slice(0, 10)}, on ${await describeMachine()}. All share the machine, the model server on loopback and, but for Restate, the PostgreSQL server (fsync on). They take turns in ${rounds} rounds, each figure from a new process on an empty database; of the rounds the median counts.

${toTable([columns, ...rows])}

![The same figures as bars](benchmarks-peers.svg)

${summary(standings)}

What the columns say:

- **runs/s**: 256 runs open, the model answers at once.
- **added a step**: from the moment that the first answer leaves the model server to the arrival of the run's second call; the model at 200 ms, 500 runs open.
- **CPU a run**: of the contender's one process, and of the server that keeps its runs (PostgreSQL, or Restate's own), without model server and client, in the run of the first column.
- **memory**: of the JavaScript heap and its buffers after a full garbage collection, against the idle process: of each of 500 runs that wait for the model, and of each run that waits for a human.
- **kill -9**: from the start of a new process to the end of the 200 runs that the killed one had in progress, the model at 300 ms ± 50 %.

How each runs, with ten connections to PostgreSQL where it uses it:

- **Muster** goes through its whole path: HTTP API with authentication and validation, queue, event log, memory, the AI SDK's provider with Muster's own transport; for the human the writer calls \`request_input\`.
- **No library** is the floor, with bare undici in place of a model client: a row a run, claimed with SKIP LOCKED, and a row a step. One statement a write is four a run: insert, claim, first step, second step with the run's end. Batched, each kind of statement takes all that came while the one before it was under way.
- **DBOS Transact** (“Workflows”, “Communicating with Workflows”, “AI Quickstart”, “Vercel AI SDK”): workflows started directly and not through a queue, each model call a step, \`DBOS.recv\` for the human. The call is \`generateText\` of the AI SDK ${await versionOf('dbos', 'ai')}; the middleware of the last page, which stores the whole answer in place of its text, takes no DBOS newer than 4. It recovers by itself at launch.
- **Restate** (“Workflows”, “Durable steps”, “SDK clients”): a workflow a run, submitted and attached to through the ingress of its server, each model call a \`ctx.run\` around \`generateText\`, a durable promise for the human. Its server keeps runs in a log of its own in place of PostgreSQL, is a process of its own and was not killed; it calls the killed process again by itself. The server is under the Business Source License 1.1: it is measured here, and neither shipped nor needed.
- **OpenWorkflow** (“Quickstart”, “Core concepts”, “Signals”): a worker of 500 places that polls for runs, each model call a step around \`generateText\`, \`waitForSignal\` for the human. Its client would ask once a second whether a run has ended; here it hears that at once. A killed worker's runs go on when their lease of 30 s has expired.
- **Mastra** (“Workflows overview”, “Agents and tools”, “Models”, “Suspend and resume”, “PostgreSQL”): default engine, each step calls \`generate\` of a registered agent whose model is named by its URL, and whose own loop writes to the same storage while it lasts; no memory, logger or telemetry; \`suspend\` for the human. After the kill the active runs are listed and restarted all at once; its \`restartAllActiveWorkflowRuns()\` restarts them one after the other.
- **LangGraph.js** (“Persistence”, “Durable execution”, “Interrupts”, “Workflows and agents”, “ChatOpenAI integration”): \`PostgresSaver\`, a thread a run, each node calls \`invoke\` of \`ChatOpenAI\` ${await versionOf('langgraph', '@langchain/openai')}; \`interrupt\` for the human. It does not recover by itself: each unfinished thread is invoked again. With durability \`async\`, its default, a checkpoint is written behind the next step, so a kill loses runs whose first checkpoint was still to come; 200 runs begun at once in a new process are the worst case of that. \`sync\` is what its documentation names for high durability.

All model clients are at their defaults, without streaming; they would retry, and none has to.

Who is favoured:

- The libraries and the floors are called in their own process: no HTTP, no authentication, no validation before them. They keep what a run needs to go on, and its output; Muster keeps events, tokens and costs as well, and looks up memory for each step. Muster's client is one more process on the same cores.
- Muster calls the AI SDK's provider by itself and over undici. The libraries' documented clients do more for each call and use Node's \`fetch\`, which costs more. The table below shows them with bare calls.
- In Muster, the floors and LangGraph's \`async\` the second model call begins while the first step is still being written, which shortens “added a step”; a crash in between repeats both calls. In the others it waits for the commit, and a crash repeats one.

With bare undici calls in the libraries too, as in the floors, nothing is left but the frameworks. Compared with Muster, whose model calls still go through the AI SDK, this favours them:

${toTable([bareColumns, ...bareRows])}

Muster lets several processes share a database. It takes over runs of a process that it cannot see only when their heartbeat has been missing for ten seconds, which is most of its time after the kill. With its embedded database it knows to be alone and does not wait: see the line “kill -9 of the service” above.
`
}

function summary(standings: Comparison['standings']): string {
  const speedOf = (name: ContenderName): number => standings.get(name)?.runsPerSecond ?? Number.NaN
  const own = speedOf('muster')
  // A part of the contenders compares nothing.
  if (standings.size < contenderNames.length) return ''
  const speeds = (Object.keys(libraries) as ContenderName[]).map(speedOf)
  const best = Math.max(...speeds)
  const share = (name: ContenderName): string => `${round((100 * own) / speedOf(name), 0)} %`
  return `Muster does ${round(own / best)} times the runs/s of the fastest library, ${share('floor-plain')} of those of single statements without a library, and ${share('floor')} of those of batched ones.`
}

const columns = [
  '',
  'runs/s',
  'added a step, p50 / p99',
  'CPU a run; of its server',
  'memory a run in progress',
  'memory a run that waits for a human',
  'kill -9: until all are completed',
]

const bareColumns = [
  '',
  'runs/s, bare calls',
  'with its model client',
  'CPU a run, bare calls',
  'with its model client',
]

function toCells(standing: Standing): string[] {
  const { addedP50Ms, addedP99Ms, lostShare } = standing
  const lost = lostShare === 0 ? '' : `, ${round(100 * lostShare, 0)} % lost`
  return [
    round(standing.runsPerSecond, 0),
    `${round(addedP50Ms)} / ${round(addedP99Ms)} ms`,
    `${round(standing.cpuMs, 2)} ms; ${round(standing.storeCpuMs, 2)} ms`,
    toKilobytes(standing.bytesInProgress),
    toKilobytes(standing.bytesWaiting),
    `${round(standing.resumeMs / 1_000)} s${lost}`,
  ]
}

function toBareCells(bare: Throughput, documented: Throughput | undefined): string[] {
  return [
    round(bare.runsPerSecond, 0),
    round(documented?.runsPerSecond ?? Number.NaN, 0),
    `${round(bare.cpuMs, 2)} ms`,
    `${round(documented?.cpuMs ?? Number.NaN, 2)} ms`,
  ]
}

function toKilobytes(bytes: number): string {
  // What is below the noise of a heap is nothing.
  return `${round(Math.max(0, bytes) / 1_024)} KB`
}

async function title(name: ContenderName): Promise<string> {
  if (name === 'muster') return 'Muster'
  if (name === 'floor') return 'No library, statements batched'
  if (name === 'floor-plain') return 'No library, one statement a write'
  const [library, packageName, folder, note] = libraries[name]
  return `${library} ${await versionOf(folder, packageName)}${note}`
}

async function versionOf(folder: string, packageName: string): Promise<string> {
  const text = await readFile(join(peerFolder(folder), 'package.json'), 'utf8')
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> }
  return dependencies[packageName] ?? 'unknown'
}

const libraries = {
  restate: ['Restate', '@restatedev/restate-server', 'restate', ''],
  openworkflow: ['OpenWorkflow', 'openworkflow', 'openworkflow', ''],
  dbos: ['DBOS Transact', '@dbos-inc/dbos-sdk', 'dbos', ''],
  mastra: ['Mastra', '@mastra/core', 'mastra', ''],
  langgraph: ['LangGraph.js', '@langchain/langgraph', 'langgraph', ', `sync`'],
  'langgraph-async': ['LangGraph.js', '@langchain/langgraph', 'langgraph', ', `async`'],
} as const
