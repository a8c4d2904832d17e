import type { StoredDefinition } from '../run/definition.ts'
import type { RunEvent } from '../run/event.ts'
import type { StepStart } from '../run/step.ts'
import type { Job } from './jobs.ts'

/**
 * How a run comes to the worker of a process, in one of three ways. A `fetched` job was taken from the queue: its
 * run is read, and then taken. A `local` job was claimed by the statement that triggered its run in this process:
 * the run is known, and then taken. A `started` run was taken by that statement as well, and begins at once.
 */
export type Dispatch = Job &
  (
    | { kind: 'fetched' }
    | { kind: 'local'; run: TriggeredFacts }
    | { kind: 'started'; run: TriggeredFacts; start: Start; attempt: number }
  )

/** A run as its trigger made it. */
interface TriggeredFacts {
  workflowId: string
  input: string
  data: object | null
  tags: Record<string, string> | undefined
}

/** The take of a new run, for the statement that triggers it. */
export interface Start {
  /** Of its workflow as it was read. If it has changed, or has memory to recall, the run is left to be taken. */
  version: string
  definition: StoredDefinition
  step: StepStart
  events: RunEvent[]
}

export function fetched(job: Job): Dispatch {
  return { ...job, kind: 'fetched' }
}
