import type { StoredDefinition } from '../run/definition.ts'
import type { RunEvent } from '../run/event.ts'
import type { StepStart } from '../run/step.ts'

/** What the take of a new run writes, for the statement that makes the run. */
export interface FirstTake {
  /** Of its workflow as it was read. With another, or with something to recall, the run is left to be taken. */
  version: string
  definition: StoredDefinition
  step: StepStart
  events: RunEvent[]
}
