import { MusterError, type Muster } from '../../sdk/index.ts'
import { methodOf } from '../named.ts'
import { Names, type NamesOf } from './links.ts'
import type { Fields } from './plan.ts'
import { fileResources, keyOf, type FileResource } from './resources.ts'

type Item = Fields & { id: string }

/**
 * The objects on the server: each resource is read once, and objects that `apply` creates are
 * added.
 */
export class Server {
  readonly #muster: Muster
  readonly #items = new Map<string, Item[]>()
  readonly #names = new Map<string, Names>()

  constructor(muster: Muster) {
    this.#muster = muster
  }

  /**
   * Reads what files of these resources need: the resources themselves, and those that they may
   * link.
   */
  async read(resources: FileResource[], { passesOverForbidden = false } = {}): Promise<void> {
    const linked = ['agents', 'workflows', 'channels']
    for (const of of fileResources) {
      const { resource } = of
      if (!resources.includes(of) && !linked.includes(resource)) continue
      const items = await this.#list(of).catch((error: unknown) => {
        // Some resources require an admin's key.
        if (passesOverForbidden && error instanceof MusterError && error.status === 403) return []
        throw error
      })
      this.#items.set(resource, items)
      const names = new Names()
      for (const item of items) names.add(item.id, String(keyOf(of, item)))
      this.#names.set(resource, names)
    }
  }

  async #list({ resource, key, noun }: FileResource): Promise<Item[]> {
    if (key === undefined) {
      const found = (await methodOf(this.#muster, `${resource}.retrieve`)()) as Fields
      return [{ ...found, id: noun }]
    }
    const items: Item[] = []
    const list = (await methodOf(this.#muster, `${resource}.list`)()) as AsyncIterable<Item>
    for await (const item of list) items.push(item)
    return items
  }

  readonly namesOf: NamesOf = (resource) => this.#names.get(resource) ?? new Names()

  all({ resource }: FileResource): Item[] {
    return this.#items.get(resource) ?? []
  }

  find(of: FileResource, id: string): Item | undefined {
    return this.all(of).find((item) => item.id === id)
  }

  async create(of: FileResource, fields: Fields): Promise<Item> {
    const { resource, created, updated } = of
    // Some fields, such as the status of a workflow, can only be set by an update.
    const isLate = (name: string): boolean => updated.includes(name) && !created.includes(name)
    const all = Object.entries(fields)
    const late = Object.fromEntries(all.filter(([name]) => isLate(name)))
    const first = Object.fromEntries(all.filter(([name]) => !isLate(name)))
    const call = async (verb: string, ...args: unknown[]): Promise<Item> =>
      (await methodOf(this.#muster, `${resource}.${verb}`)(...args)) as Item
    const made = await call('create', first)
    this.#names.get(resource)?.add(made.id, String(keyOf(of, fields)))
    return Object.keys(late).length > 0 ? call('update', made.id, late) : call('retrieve', made.id)
  }

  async update({ resource, key }: FileResource, id: string, fields: Fields): Promise<Item> {
    const update = methodOf(this.#muster, `${resource}.update`)
    if (key === undefined) return { ...((await update(fields)) as Fields), id }
    return (await update(id, fields)) as Item
  }

  retrieve({ resource }: FileResource, id: string): Promise<unknown> {
    return methodOf(this.#muster, `${resource}.retrieve`)(id)
  }

  async delete({ resource }: FileResource, id: string): Promise<void> {
    await methodOf(this.#muster, `${resource}.delete`)(id)
  }
}
