import { usageError } from '../failure.ts'

/** Fields with ids, anywhere in an object. Files link by name, the API by id. */
const linkFields: Record<string, string> = {
  agentId: 'agents',
  agent_id: 'agents',
  workflow_id: 'workflows',
  workflow_ids: 'workflows',
  channel_id: 'channels',
  channel_ids: 'channels',
}

/** Fields with users' own objects, which contain no links. */
const opaque = /_schema$|^(data|tags|input|fixed)$/

/** Ids and names of one resource; an ambiguous name is not used. */
export class Names {
  readonly #ids = new Map<string, string[]>()
  readonly #names = new Map<string, string>()

  add(id: string, name: string): void {
    this.#names.set(id, name)
    this.#ids.set(name, [...(this.#ids.get(name) ?? []), id])
  }

  /** The name of an object, or its id if the name is ambiguous. */
  nameFor(id: string): string {
    const name = this.#names.get(id)
    return name !== undefined && this.#ids.get(name)?.length === 1 ? name : id
  }

  idsOf(nameOrId: string): string[] {
    return this.#names.has(nameOrId) ? [nameOrId] : (this.#ids.get(nameOrId) ?? [])
  }
}

export type NamesOf = (resource: string) => Names

export function linkByName<T>(value: T, namesOf: NamesOf): T {
  return mapLinks(value, (resource, id) => namesOf(resource).nameFor(id))
}

/** `isComing`: an object of this name will be created before. */
export function linkById<T>(
  value: T,
  namesOf: NamesOf,
  { action, isComing }: { action: string; isComing: (resource: string, name: string) => boolean },
): T {
  return mapLinks(value, (resource, word, field) => {
    const ids = namesOf(resource).idsOf(word)
    const [id] = ids
    if (ids.length === 1 && id !== undefined) return id
    if (ids.length === 0 && isComing(resource, word)) return word
    const why =
      ids.length === 0
        ? `which is neither the id nor the name of one of the ${resource}`
        : `a name that ${ids.length} of the ${resource} have (${ids.join(', ')})`
    throw usageError(
      `Cannot ${action}: ${field} is ${JSON.stringify(word)}, ${why}`,
      'unknown_name',
    )
  })
}

type Link = (resource: string, value: string, field: string) => string

function mapLinks<T>(value: T, link: Link): T {
  if (Array.isArray(value)) return value.map((item: unknown) => mapLinks(item, link)) as T
  if (typeof value !== 'object' || value === null) return value
  // The scope value of a budget is a link if the scope is a resource.
  const scoped = 'scope' in value ? linkFields[`${String(value.scope)}_id`] : undefined
  const entries = Object.entries(value).map(([field, item]: [string, unknown]) => {
    const resource = field === 'scope_value' ? scoped : linkFields[field]
    if (opaque.test(field)) return [field, item]
    if (resource === undefined) return [field, mapLinks(item, link)]
    if (typeof item === 'string') return [field, link(resource, item, field)]
    if (!Array.isArray(item)) return [field, item]
    const items: unknown[] = item
    const linked = items.map((one) => (typeof one === 'string' ? link(resource, one, field) : one))
    return [field, linked]
  })
  return Object.fromEntries(entries) as T
}
