import { createHash } from 'node:crypto'
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { Database } from '../../db/client.ts'
import type { HumanInTheLoop } from '../run/definition.ts'
import { withoutArguments } from '../../policies/fixed.ts'
import { ownTools } from '../../tools/own-tools.ts'
import type { Action, Tool } from '../../tools/contract.ts'
import { wireNames } from '../../tools/wire-names.ts'
import { saveDefinitions } from '../journal/definitions.ts'

/**
 * The tools of one step. A model can only name what is in here, and what it names otherwise is
 * answered to it as an error.
 */
export interface Toolbox {
  /** What the model sees of them. */
  definitions: LanguageModelV4FunctionTool[]
  /** By the name that the model uses. */
  get(wireName: string): Action | undefined
  /** The connector's tool behind an action, by its id; built-in tools have none. */
  tool(id: string): Tool | undefined
}

export function createToolbox(
  tools: Tool[],
  {
    memory,
    humanInTheLoop,
    fixedOf,
  }: { memory: boolean; humanInTheLoop: HumanInTheLoop; fixedOf?: FixedOf },
): Toolbox {
  const mayAsk = humanInTheLoop.enabled && humanInTheLoop.allow_input
  if (tools.length === 0) return plainToolbox(mayAsk, memory)
  return build(tools, ownToolsFor(mayAsk, memory), fixedOf)
}

/** The same box with its tools as they are now: what the model was offered stays. */
export function withToolsOfNow(box: Toolbox, tools: Tool[]): Toolbox {
  const byId = new Map(tools.map((tool) => [tool.id, tool]))
  return {
    ...box,
    get: (wireName) => {
      const action = box.get(wireName)
      return action && (byId.get(action.id) ?? action)
    },
    tool: (id) => byId.get(id),
  }
}

/** Arguments of a connector's action that rules set, which models are not shown. */
type FixedOf = (action: Action) => string[]

// Most steps have no tools of their own, and four boxes serve them all.
const plain = new Map<string, Toolbox>()

function plainToolbox(mayAsk: boolean, memory: boolean): Toolbox {
  return plain.getOrInsertComputed(`${mayAsk} ${memory}`, () =>
    build([], ownToolsFor(mayAsk, memory)),
  )
}

function ownToolsFor(mayAsk: boolean, memory: boolean): Action[] {
  return [
    ...(mayAsk ? [ownTools.request_input] : []),
    ...(memory ? [ownTools.remember, ownTools.forget] : []),
  ]
}

function build(tools: Tool[], own: Action[], fixedOf: FixedOf = () => []): Toolbox {
  const byId = new Map(tools.map((tool) => [tool.id, tool]))
  const actions = new Map([...own, ...tools].map((action) => [action.id, action]))
  const byName = wireNames([...actions.keys()])
  return {
    definitions: [...byName].map(([name, id]) => {
      const action = actions.get(id) as Action
      const { description } = action
      const fixed = byId.has(id) ? fixedOf(action) : []
      const inputSchema = withoutArguments(action.inputSchema, fixed)
      return { type: 'function', name, description, inputSchema }
    }),
    get: (wireName) => actions.get(byName.get(wireName) ?? ''),
    tool: (id) => byId.get(id),
  }
}

const hashOf = (definitions: Toolbox['definitions']): string =>
  createHash('sha256').update(JSON.stringify(definitions)).digest('hex')

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
    const hash = this.#hashes.getOrInsertComputed(definitions, hashOf)
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
