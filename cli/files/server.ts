import { MusterError, type Connector, type Muster } from '../../sdk/index.ts'
import { methodOf } from '../named.ts'
import { Names, type NamesOf } from './links.ts'
import type { Fields } from './plan.ts'
import { toFileForm } from './http-apis.ts'
import { fileResources, httpApis, keyOf, type FileResource } from './resources.ts'

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
    for await (const item of list) {
      const known = resource === httpApis.resource ? toFileForm(item as unknown as Connector) : item
      if (known !== undefined) items.push(known)
    }
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
    if (of === httpApis) return this.#connect(fields)
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

  async update(of: FileResource, id: string, fields: Fields): Promise<Item> {
    if (of === httpApis) return this.#connect({ ...this.find(of, id), ...fields })
    const { resource, key } = of
    const update = methodOf(this.#muster, `${resource}.update`)
    if (key === undefined) return { ...((await update(fields)) as Fields), id }
    return (await update(id, fields)) as Item
  }

  /** An HTTP API is replaced as a whole; its login is kept. */
  async #connect({ id, ...fields }: Fields): Promise<Item> {
    const connected = await methodOf(this.#muster, 'connectors.connect')(id, fields)
    this.#names.get(httpApis.resource)?.add(String(id), String(id))
    return connected as Item
  }

  retrieve({ resource }: FileResource, id: string): Promise<unknown> {
    return methodOf(this.#muster, `${resource}.retrieve`)(id)
  }

  async delete(of: FileResource, id: string): Promise<void> {
    const { resource } = of
    if (of === httpApis) {
      await methodOf(this.#muster, 'connectors.disconnect')(id)
      return
    }
    await methodOf(this.#muster, `${resource}.delete`)(id)
  }
}
