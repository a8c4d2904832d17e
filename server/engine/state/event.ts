import { derivedId } from '../../ids.ts'

/** An entry of a run's event log. */
export interface RunEvent {
  id: string
  type: string
  data: Record<string, unknown>
}

/** `what` tells it from others of this type in the run. Its id follows from these, not from the data. */
export function runEvent(
  runId: string,
  type: string,
  data: Record<string, unknown> = {},
  what: string | number = '',
): RunEvent {
  return { id: derivedId('evt', runId, type, what), type, data }
}
