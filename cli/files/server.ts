import type { Muster } from '../../sdk/index.ts'
import { methodOf } from '../named.ts'
import { Names, type NamesOf } from './links.ts'
import type { Fields } from './plan.ts'
import { fileResources, type FileResource } from './resources.ts'

type Item = Fields & { id: string }

/** What is on the server, read once a resource, and what is created there meanwhile. */
export class Server {
  readonly #muster: Muster
  readonly #items = new Map<string, Item[]>()
  readonly #names = new Map<string, Names>()

  constructor(muster: Muster) {
    this.#muster = muster
  }

  /** Reads what files of these resources need: themselves, and what they may link. */
  async read(resources: FileResource[]): Promise<void> {
    const linked = ['agents', 'workflows', 'channels']
    for (const of of fileResources) {
      const { resource, key } = of
      if (!resources.includes(of) && !linked.includes(resource)) continue
      const items: Item[] = []
      const list = (await methodOf(this.#muster, `${resource}.list`)()) as AsyncIterable<Item>
      for await (const item of list) items.push(item)
      this.#items.set(resource, items)
      const names = new Names()
      for (const item of items) names.add(item.id, String(item[key]))
      this.#names.set(resource, names)
    }
  }

  readonly namesOf: NamesOf = (resource) => this.#names.get(resource) ?? new Names()

  all({ resource }: FileResource): Item[] {
    return this.#items.get(resource) ?? []
  }

  find(of: FileResource, id: string): Item | undefined {
    return this.all(of).find((item) => item.id === id)
  }

  async create({ resource, key, created, updated }: FileResource, fields: Fields): Promise<Item> {
    // Some fields, such as the status of a workflow, are taken by changes only.
    const isLate = (name: string): boolean => updated.includes(name) && !created.includes(name)
    const all = Object.entries(fields)
    const late = Object.fromEntries(all.filter(([name]) => isLate(name)))
    const first = Object.fromEntries(all.filter(([name]) => !isLate(name)))
    const call = async (verb: string, ...args: unknown[]): Promise<Item> =>
      (await methodOf(this.#muster, `${resource}.${verb}`)(...args)) as Item
    const made = await call('create', first)
    this.#names.get(resource)?.add(made.id, String(fields[key]))
    return Object.keys(late).length > 0 ? call('update', made.id, late) : call('retrieve', made.id)
  }

  async update({ resource }: FileResource, id: string, fields: Fields): Promise<Item> {
    return (await methodOf(this.#muster, `${resource}.update`)(id, fields)) as Item
  }

  retrieve({ resource }: FileResource, id: string): Promise<unknown> {
    return methodOf(this.#muster, `${resource}.retrieve`)(id)
  }

  async delete({ resource }: FileResource, id: string): Promise<void> {
    await methodOf(this.#muster, `${resource}.delete`)(id)
  }
}
