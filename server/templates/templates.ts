import { isLargerThan } from '../json-limits.ts'
import { defineTask, type Caller } from '../sandbox/sandbox.ts'
import { TaskEnded } from '../sandbox/thread.ts'
import { areCheap, maxCharacters } from './cost.ts'
import { fill, refuse, type Field, type Filled } from './fill.ts'
import type * as tasks from './fill.ts'

/** Templates of users: rendered and checked at once where they are cheap, else in a thread that can be ended. */
const at = {
  line: 'quick',
  from: import.meta.url,
  file: './fill',
  maxMs: 1_000,
  maxMb: 128,
} as const
const fillInThread = defineTask<typeof tasks.fill>({ ...at, name: 'fill' })
const refuseInThread = defineTask<typeof tasks.refuse>({ ...at, name: 'refuse' })

export async function fillFields(caller: Caller, fields: Field[], values: object): Promise<Filled> {
  if (areCheapFields(fields, (bytes) => isLargerThan(values, bytes))) {
    return fill({ fields, values })
  }
  try {
    return await fillInThread(caller, { fields, values })
  } catch (error) {
    if (!(error instanceof TaskEnded)) throw error
    return { values: {}, problems: [{ field: 'templates', why: error.message }] }
  }
}

/** The first text that cannot be used as a template, with its path. */
export async function refuseFields(
  caller: Caller,
  fields: Field[],
): Promise<{ path: string; why: string } | undefined> {
  const length = textsIn(fields).reduce((sum, text) => sum + text.length, 0)
  if (length <= maxCharacters) return refuse(fields)
  try {
    return await refuseInThread(caller, fields)
  } catch (error) {
    if (!(error instanceof TaskEnded)) throw error
    return { path: fields[0]?.name ?? '', why: `with the others, ${error.message}` }
  }
}

export function areCheapFields(fields: Field[], isLarger: (bytes: number) => boolean): boolean {
  return areCheap(textsIn(fields), isLarger)
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : []
}
