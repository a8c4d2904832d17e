import type { Context } from '../context.ts'
import type { CreateRun } from '../engine/wire/run.ts'
import type { ClaimedFiring } from './firing-store.ts'

export async function renderRun(
  _ctx: Context,
  { schedule }: Pick<ClaimedFiring, 'schedule' | 'dueAt'>,
): Promise<CreateRun> {
  const { input, data, tags } = schedule
  return {
    ...(input === null ? {} : { input }),
    ...(data === null ? {} : { data }),
    tags: tags ?? {},
  }
}
