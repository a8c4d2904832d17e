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
 * The tools of one step. A model can only call tools in here; other names get an error as the
 * result.
 */
export interface Toolbox {
  /** Definitions for the model. */
  definitions: LanguageModelV4FunctionTool[]
  /** Finds an action by the name that the model uses. */
  get(wireName: string): Action | undefined
  /** The connector's tool of an action, by id; built-in tools have none. */
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

/** The same box with the current tools; the definitions that the model was offered stay. */
export function withCurrentTools(box: Toolbox, tools: Tool[]): Toolbox {
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

/** Arguments of a connector's action that rules set, and that models therefore do not see. */
type FixedOf = (action: Action) => string[]

// Most steps have only built-in tools, and share these four boxes.
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

/**
 * Stores the tool definitions that models were offered, by content: many turns of many runs share
 * them.
 */
export class OfferedTools {
  readonly #database: Database
  readonly #hashes = new WeakMap<Toolbox['definitions'], string>()
  readonly #kept = new Set<string>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Hash under which the tools are stored; null if there are none. */
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

/** An evicted entry is stored once more, which changes nothing. */
const mostKept = 10_000
