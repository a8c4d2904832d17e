import { usageError } from '../failure.ts'
import { withLine } from '../named-file.ts'
import { linkById } from './links.ts'
import { compareFields, type FieldChange, type Fields, type Step } from './plan.ts'
import type { FileObject } from './read-objects.ts'
import { httpApis, keyOf, pickFields, type FileResource } from './resources.ts'
import type { Server } from './server.ts'

/** A step of a plan, applied or as it would be. */
export interface Applied extends Step {
  warnings: string[]
}

interface Options {
  isDryRun: boolean
  /** Also deletes the server's objects that no file describes, for each resource in the files. */
  prunes: boolean
  /** Called for each step as soon as it is done. */
  report: (done: Applied) => void
}

/** Makes the server match the files. Each object is applied separately; the first error stops. */
export async function applyObjects(
  server: Server,
  objects: FileObject[],
  { isDryRun, prunes, report }: Options,
): Promise<Applied[]> {
  const done: Applied[] = []
  const add = (step: Applied): void => {
    done.push(step)
    report(step)
  }
  for (const object of objects) {
    const step = planObject(server, objects, object)
    try {
      add({ ...step, ...(isDryRun ? { warnings: [] } : await doStep(server, step)) })
    } catch (error) {
      throw withLine(error, object.file)
    }
  }
  for (const step of findOthers(server, objects)) {
    if (prunes && !isDryRun) await server.delete(step.of, step.id ?? '')
    add({ ...step, action: prunes ? 'delete' : 'keep', warnings: [] })
  }
  return done
}

type Planned = Step & { body: Fields }

function planObject(server: Server, objects: FileObject[], object: FileObject): Planned {
  const { of, name, fields } = object
  const isComing = (resource: string, word: string): boolean =>
    objects.some((other) => other.of.resource === resource && other.name === word)
  const body = linkById(fields, server.namesOf, { action: of.action, isComing })
  const ids = server.namesOf(of.resource).idsOf(name)
  if (ids.length > 1) {
    const why = `${ids.length} ${of.noun}s have the name ${JSON.stringify(name)} (${ids.join(', ')})`
    throw usageError(`Cannot ${of.action}: ${why}`, 'ambiguous_name')
  }
  const [id] = ids
  const item = id === undefined ? undefined : server.find(of, id)
  if (id === undefined || item === undefined) {
    return { action: 'create', of, name, id: undefined, changes: [], body }
  }
  // Where a document came from is not shown, so it alone is no difference.
  const isSource = ({ field }: FieldChange): boolean =>
    of === httpApis && /^document(_url)?\b/.test(field)
  const all = compareFields(pickFields(of, item), body)
  const changes = all.every(isSource) ? [] : all
  return { action: changes.length === 0 ? 'keep' : 'update', of, name, id, changes, body }
}

async function doStep(
  server: Server,
  { of, action, id, changes, body }: Planned,
): Promise<{ id: string | undefined; warnings: string[] }> {
  if (action === 'keep' || (action === 'update' && id === undefined)) return { id, warnings: [] }
  const made =
    action === 'create'
      ? await server.create(of, body)
      : await server.update(of, id ?? '', pickChanged(body, changes))
  const { warnings = [] } = made as { warnings?: { message: string }[] }
  return { id: made.id, warnings: warnings.map(({ message }) => message) }
}

/** The changed fields; object-valued ones as they are given. */
function pickChanged(body: Fields, changes: FieldChange[]): Fields {
  const names = new Set(changes.map(({ field }) => field.split(/[.[]/, 1)[0] ?? field))
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.has(name)))
}

/**
 * The server's objects that no file describes, for each resource in the files. Objects that others
 * link come last, so they can be deleted in this order.
 */
function findOthers(server: Server, objects: FileObject[]): Step[] {
  const resources = [...new Set(objects.map(({ of }) => of))].toReversed()
  return resources.flatMap((of: FileResource) =>
    server
      .all(of)
      .filter((item) => !objects.some((one) => one.of === of && one.name === keyOf(of, item)))
      .map((item) => ({
        action: 'keep' as const,
        of,
        name: String(keyOf(of, item)),
        id: item.id,
        changes: [],
      })),
  )
}
