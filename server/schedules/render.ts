import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import type { CreateRun } from '../engine/wire/run.ts'
import { renderTemplate, renderValue, TemplateError } from '../templates/template.ts'
import type { ClaimedFiring } from './firing-store.ts'
import { readLastRun } from './store.ts'

/** The trigger request of a firing, rendered from the schedule's templates. */
export async function renderRun(
  ctx: Context,
  { schedule, dueAt }: Pick<ClaimedFiring, 'schedule' | 'dueAt'>,
): Promise<CreateRun> {
  const { id, name, key, time_zone, version, input, data, tags } = schedule
  const isAboutLast = `${input}${JSON.stringify(data)}`.includes('last_run')
  const values = {
    scheduled_at: dueAt.toISOString(),
    schedule: { id, name, key, time_zone },
    last_run: isAboutLast ? await readLastRun(ctx.database, ctx.accountId, id) : null,
  }
  const fill = <T>(field: string, work: () => T): T => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      throw cannot(ctx, 'invalid_template', `${field}: ${error.message}`, { param: field })
    }
  }
  return {
    ...(input !== null && { input: fill('input', () => renderTemplate(input, values)) }),
    ...(data !== null && { data: fill('data', () => renderValue(data, values)) as typeof data }),
    ...(version !== null && { version }),
    tags: tags ?? {},
  }
}
