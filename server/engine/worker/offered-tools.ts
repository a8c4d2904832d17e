import { createHash } from 'node:crypto'
import type { Database } from '../../db/client.ts'
import { saveDefinitions } from '../state/take-store.ts'
import type { Toolbox } from './toolbox.ts'

/** Tools that models were offered, kept by content: many turns of many runs are offered the same. */
export class OfferedTools {
  readonly #database: Database
  readonly #hashes = new WeakMap<Toolbox['definitions'], string>()
  readonly #kept = new Set<string>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Where they are kept; null for none. */
  async keep(accountId: string, { definitions }: Toolbox): Promise<string | null> {
    if (definitions.length === 0) return null
    let hash = this.#hashes.get(definitions)
    if (hash === undefined) {
      hash = createHash('sha256').update(JSON.stringify(definitions)).digest('hex')
      this.#hashes.set(definitions, hash)
    }
    const key = `${accountId} ${hash}`
    if (this.#kept.has(key)) return hash
    const body = definitions.map(({ name, description, inputSchema }) => ({
      name,
      description: description ?? '',
      input_schema: inputSchema,
    }))
    await saveDefinitions(this.#database, [{ accountId, hash, body }])
    if (this.#kept.size >= mostKept) this.#kept.clear()
    this.#kept.add(key)
    return hash
  }
}

/** What is forgotten is stored once more, which changes nothing. */
const mostKept = 10_000
