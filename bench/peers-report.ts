import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rounds, type ContenderName, type Standing } from './peers.ts'
import { peerFolder } from './rig/peer-process.ts'
import { round } from './rig/percentiles.ts'
import { describeMachine, toTable } from './report.ts'

/** What was compared, as the second part of the page. */
export async function toPeersReport(standings: Map<ContenderName, Standing>): Promise<string> {
  const rows = await Promise.all(
    [...standings].map(async ([name, standing]) => [await title(name), ...toCells(standing)]),
  )
  return `One crew of two agents, 2 KB of input, one model call each: carried by Muster and by libraries that keep agents' or any work alive in PostgreSQL. Measured by \`npm run bench -- peers\`, ${new Date().toISOString().slice(0, 10)}, on ${await describeMachine()}. All share the machine, the model server on loopback and the PostgreSQL server (fsync on). They take turns in ${rounds} rounds, each figure from a new process on an empty database; of the rounds the median counts.

${toTable([columns, ...rows])}

![The same figures as bars](benchmarks-peers.svg)

What the columns say:

- **runs/s**: 256 runs open, the model answers at once.
- **added a step**: from the moment that the first answer leaves the model server to the arrival of the run's second call; the model at 200 ms, 500 runs open.
- **CPU a run**: of the contender's one process, without model server, client and PostgreSQL, in the run of the first column.
- **memory**: of the JavaScript heap and its buffers after a full garbage collection, against the idle process: of each of 500 runs that wait for the model, and of each run that waits for a human.
- **kill -9**: from the start of a new process to the end of the 200 runs that the killed one had in progress, the model at 300 ms ± 50 %.

How each runs, with ten connections to PostgreSQL:

- **Muster** goes through its whole path: HTTP API with authentication and validation, queue, event log, memory, AI SDK; for the human the writer calls \`request_input\`. The others are called in their own process, and call the model with bare undici in place of an SDK, which favours them.
- **No library** is the floor: rows claimed with SKIP LOCKED, statements that batch what came meanwhile.
- **DBOS Transact** (“Workflows”, “Communicating with Workflows”): steps around the model calls, started directly and not through a queue, \`DBOS.recv\` for the human. It recovers by itself at launch.
- **Mastra** (“Workflows overview”, “Suspend and resume”, “PostgreSQL”): default engine, no logger, \`suspend\` for the human. After the kill the active runs are listed and restarted all at once; its \`restartAllActiveWorkflowRuns()\` restarts them one after the other.
- **LangGraph.js** (“Persistence”, “Durable execution”, “Interrupts”): \`PostgresSaver\`, a thread a run, \`interrupt\` for the human. It does not recover by itself: each unfinished thread is invoked again. With durability \`async\`, its default, a checkpoint is written behind the next step, so a kill loses runs whose first checkpoint was still to come; \`sync\` is what its documentation names for high durability.

Muster lets several processes share a database. It takes over runs of a process that it cannot see only when their heartbeat has been missing for ten seconds, which is most of its time after the kill. With its embedded database it knows to be alone and does not wait: see the line “kill -9 of the service” above.
`
}

const columns = [
  '',
  'runs/s',
  'added a step, p50 / p99',
  'CPU a run',
  'memory a run in progress',
  'memory a run that waits for a human',
  'kill -9: until all are completed',
]

function toCells(standing: Standing): string[] {
  const { addedP50Ms, addedP99Ms, lostShare } = standing
  const lost = lostShare === 0 ? '' : `, ${round(100 * lostShare, 0)} % lost`
  return [
    round(standing.runsPerSecond, 0),
    `${round(addedP50Ms)} / ${round(addedP99Ms)} ms`,
    `${round(standing.cpuMs, 2)} ms`,
    toKilobytes(standing.bytesInProgress),
    toKilobytes(standing.bytesWaiting),
    `${round(standing.resumeMs / 1_000)} s${lost}`,
  ]
}

function toKilobytes(bytes: number): string {
  // What is below the noise of a heap is nothing.
  return `${round(Math.max(0, bytes) / 1_024)} KB`
}

async function title(name: ContenderName): Promise<string> {
  if (name === 'muster') return 'Muster'
  if (name === 'floor') return 'No library'
  const [library, packageName, folder, note] = libraries[name]
  const text = await readFile(join(peerFolder(folder), 'package.json'), 'utf8')
  const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> }
  return `${library} ${dependencies[packageName]}${note}`
}

const libraries = {
  dbos: ['DBOS Transact', '@dbos-inc/dbos-sdk', 'dbos', ''],
  mastra: ['Mastra', '@mastra/core', 'mastra', ''],
  langgraph: ['LangGraph.js', '@langchain/langgraph', 'langgraph', ', `sync`'],
  'langgraph-async': ['LangGraph.js', '@langchain/langgraph', 'langgraph', ', `async`'],
} as const
