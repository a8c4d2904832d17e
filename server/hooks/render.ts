import type { CreateRun } from '../engine/wire/run.ts'
import { createLanguage } from '../expressions/expression.ts'
import {
  refuseTemplates,
  renderTemplate,
  renderValue,
  TemplateError,
} from '../templates/template.ts'
import { refuseBody } from './body.ts'
import type { Hook, HookPreview } from './schema.ts'

/** Filters an event and renders its run with the hook's templates; pure. */
export type Routing = Pick<Hook, 'filter' | 'input' | 'data' | 'files' | 'tags' | 'version'>

export interface Values extends Record<string, unknown> {
  body: unknown
  headers: Record<string, string>
  event: Record<'id' | 'type' | 'received_at', string>
  hook: Record<'id' | 'name', string>
}

type Problem = HookPreview['problems'][number]

export type Rendered =
  | { kind: 'run'; run: CreateRun }
  | { kind: 'filtered' }
  | { kind: 'failed'; problems: Problem[] }

const language = createLanguage({
  body: 'dyn',
  headers: 'map<string, string>',
  event: 'map<string, string>',
  hook: 'map<string, string>',
})

/** The first filter or template that does not parse. */
export function refuseRouting(routing: Partial<Routing>): Problem | undefined {
  const { filter, input, data, files, tags } = routing
  const why = filter == null ? undefined : language.refuse(filter)
  if (why !== undefined) return { field: 'filter', why }
  for (const [field, value] of Object.entries({ input, data, files, tags })) {
    const found = refuseTemplates(value, field)
    if (found !== undefined) return { field: found.path, why: found.why }
  }
  return undefined
}

/** Whether an event passes the filter; null, with the reason, if the filter fails to evaluate. */
export function passesFilter(
  { filter }: Pick<Routing, 'filter'>,
  values: Values,
): { passes: boolean | null; problems: Problem[] } {
  if (filter === null) return { passes: true, problems: [] }
  const why = language.refuse(filter)
  if (why !== undefined) return { passes: null, problems: [{ field: 'filter', why }] }
  const outcome = language.compile(filter)(values)
  if (outcome.kind === 'value') return { passes: outcome.value, problems: [] }
  return { passes: null, problems: [{ field: 'filter', why: outcome.why }] }
}

export function render(routing: Routing, values: Values): Rendered {
  const deep = refuseBody(values.body)
  if (deep !== undefined) return { kind: 'failed', problems: [{ field: 'body', why: deep }] }
  const { passes, problems } = passesFilter(routing, values)
  if (passes === null) return { kind: 'failed', problems }
  return passes ? renderRun(routing, values) : { kind: 'filtered' }
}

/** Renders the run, ignoring the filter. */
export function renderRun(routing: Routing, values: Values): Rendered {
  const { input, data, files, tags, version } = routing
  const problems: Problem[] = []
  const fill = <T>(field: string, work: () => T): T | undefined => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      problems.push({ field, why: error.message })
      return undefined
    }
  }
  const run: CreateRun = {
    ...(input === null && data === null && wholeBody(values.body)),
    ...(input !== null && { input: fill('input', () => renderTemplate(input, values)) ?? '' }),
    ...(data !== null && {
      data: fill('data', () => renderValue(data, values) as Record<string, unknown>) ?? null,
    }),
    ...(version !== null && { version }),
    files: (
      fill('files', () => files.map((one) => renderTemplate(one, values).trim())) ?? []
    ).filter((id) => id !== ''),
    tags: fill('tags', () => renderValue(tags, values) as Record<string, string>) ?? {},
  }
  for (const [name, value] of Object.entries(run.tags ?? {})) {
    if (typeof value !== 'string' && run.tags !== undefined) run.tags[name] = String(value ?? '')
  }
  if (problems.length > 0) return { kind: 'failed', problems }
  return { kind: 'run', run }
}

/** The run of a hook without templates: an object becomes its data, any other body its input. */
function wholeBody(body: unknown): CreateRun {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (isObject) return { data: body as Record<string, unknown> }
  return { input: typeof body === 'string' ? body : JSON.stringify(body) }
}
