import { derivedId, siblingId } from '../../ids.ts'

/** An entry of a run's event log. */
export interface RunEvent {
  id: string
  type: string
  data: Record<string, unknown>
}

/**
 * `what` tells it from others of this type in the run: the position of a step, or an id. Its id follows from
 * these, not from the data.
 */
export function runEvent(
  runId: string,
  type: string,
  data: Record<string, unknown> = {},
  what: string | number = '',
): RunEvent {
  const isOfMany = typeof what === 'string' && what !== ''
  const id = isOfMany
    ? derivedId('evt', runId, type, what)
    : siblingId('evt', runId, `${type} ${what}`)
  return { id, type, data }
}
