import type { CreateRun } from '../../engine/wire/run.ts'
import { createConditions } from '../../expressions/conditions.ts'
import { defineTask, type Caller } from '../../sandbox/sandbox.ts'
import { TaskEnded } from '../../sandbox/thread.ts'
import type { Field } from '../../templates/fill.ts'
import { areCheapFields, refuseFields } from '../../templates/templates.ts'
import { parseBody } from './body.ts'
import { fillEvent, variables, type Event, type EventWork, type WorkedOn } from './fill-event.ts'
import type * as tasks from './fill-event.ts'
import type { Hook, HookPreview } from './schema.ts'

/** Filters an event and renders its run with the hook's templates, all in one task. */
export type Routing = Pick<Hook, 'filter' | 'input' | 'data' | 'files' | 'tags' | 'version'>

type Problem = HookPreview['problems'][number]

export type Rendered =
  | { kind: 'run'; run: CreateRun }
  | { kind: 'filtered' }
  | { kind: 'failed'; problems: Problem[] }

const conditions = createConditions(variables)
const fillInThread = defineTask<typeof tasks.fillEvent>({
  line: 'quick',
  from: import.meta.url,
  file: './fill-event',
  name: 'fillEvent',
  maxMs: 1_000,
  maxMb: 128,
})

/** The first filter or template that does not parse. */
export async function refuseRouting(
  caller: Caller,
  routing: Partial<Routing>,
): Promise<Problem | undefined> {
  const { filter } = routing
  const unread = filter == null ? undefined : await conditions.refuse(caller, [filter])
  if (unread !== undefined) return { field: 'filter', why: unread.why }
  const found = await refuseFields(caller, fieldsOf(routing))
  return found === undefined ? undefined : { field: found.path, why: found.why }
}

/** Throws `too_busy` if the account has too many such events in progress. */
export async function render(caller: Caller, routing: Routing, event: Event): Promise<Rendered> {
  const worked = await workOn(caller, routing, event, false)
  if (worked.passes === false) return { kind: 'filtered' }
  return renderedOf(routing, event, worked)
}

/** The run of an event that passes, or would if the filter matched. */
export async function previewEvent(
  caller: Caller,
  routing: Routing,
  event: Event,
): Promise<{ passes: boolean | null; run: CreateRun | null; problems: Problem[] }> {
  const { passes, problems, filled } = await workOn(caller, routing, event, true)
  if (filled === null) return { passes, run: null, problems }
  const rendered = renderedOf(routing, event, { passes, problems: [], filled })
  if (rendered.kind === 'run') return { passes, run: rendered.run, problems }
  const more = rendered.kind === 'failed' ? rendered.problems : []
  return { passes, run: null, problems: [...problems, ...more] }
}

/** Text fields become texts, whatever a template names; values in `data` and `tags` keep their types. */
function fieldsOf({ input, data, files, tags }: Partial<Routing>): Field[] {
  return [
    ...(input == null ? [] : [{ name: 'input', template: input, isText: true }]),
    ...(data == null ? [] : [{ name: 'data', template: data, isText: false }]),
    ...(files === undefined ? [] : [{ name: 'files', template: files, isText: true }]),
    ...(tags === undefined ? [] : [{ name: 'tags', template: tags, isText: false }]),
  ]
}

async function workOn(
  caller: Caller,
  routing: Routing,
  event: Event,
  isPreview: boolean,
): Promise<WorkedOn> {
  const { filter } = routing
  const fields = fieldsOf(routing)
  const work: EventWork = { filter, fields, event, isPreview }
  const bytes = event.bytes.length + JSON.stringify(event.headers).length
  const isLarger = (limit: number): boolean => bytes > limit
  const isCheapFilter = filter === null || conditions.isCheap(filter, isLarger)
  if (isCheapFilter && areCheapFields(fields, isLarger)) return fillEvent(work)
  try {
    // A buffer of the database's client is part of a larger one, which would be copied whole.
    const alone = { ...event, bytes: new Uint8Array(event.bytes) }
    return await fillInThread(caller, { ...work, event: alone })
  } catch (error) {
    if (!(error instanceof TaskEnded)) throw error
    const field = isCheapFilter ? 'templates' : 'filter and templates'
    return { passes: null, problems: [{ field, why: error.message }], filled: null }
  }
}

function renderedOf(
  { input, data, version }: Routing,
  event: Event,
  { problems, filled }: WorkedOn,
): Rendered {
  if (filled === null || filled.problems.length > 0) {
    return { kind: 'failed', problems: [...problems, ...(filled?.problems ?? [])] }
  }
  const { files, tags, ...given } = filled.values as Results
  const run: CreateRun = {
    ...(input === null && data === null && wholeBody(parseBody(event.bytes, event.contentType))),
    ...given,
    ...(version !== null && { version }),
    files: files.map((one) => one.trim()).filter((id) => id !== ''),
    tags: Object.fromEntries(
      Object.entries(tags).map(([name, value]) => [
        name,
        typeof value === 'string' ? value : String(value ?? ''),
      ]),
    ),
  }
  return { kind: 'run', run }
}

/** What the fields of `fieldsOf` become. */
type Results = Pick<CreateRun, 'input' | 'data'> & { files: string[]; tags: object }

/** The run of a hook without templates: an object becomes its data, any other body its input. */
function wholeBody(body: unknown): CreateRun {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (isObject) return { data: body as Record<string, unknown> }
  return { input: typeof body === 'string' ? body : JSON.stringify(body) }
}
