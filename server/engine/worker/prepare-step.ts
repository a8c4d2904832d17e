import { LRUCache } from 'lru-cache'
import { fixedFor, hasFixed, withoutArguments } from '../../policies/fixed.ts'
import { levelsOf } from '../../policies/rules.ts'
import { evaluateConditions } from '../../policies/evaluate-conditions.ts'
import { callerAction, openCallerTools } from '../../tools/caller-tools.ts'
import { type Action, type Tool, wireNames } from '../../tools/contract.ts'
import { writeFileAction } from '../../tools/files.ts'
import type { WorkerPort, WorkerServices } from '../port.ts'
import { memorySection } from '../run/memory-section.ts'
import { agentOf, type HumanInTheLoop } from '../run/definition.ts'
import { readTurns } from '../journal/calls.ts'
import type { StepStart } from '../run/step.ts'
import type { Turn } from './conversation.ts'
import { scopeOf } from './freeze.ts'
import type { StepWork } from './run-step.ts'
import type { TakenRun } from './taker.ts'
import { createHash } from 'node:crypto'
import type { LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import type { Database } from '../../db/client.ts'
import { ownTools } from '../../tools/own-tools.ts'
import { saveDefinitions } from '../journal/definitions.ts'

/** Texts that people wrote for a step. Memory is not included, because agents write it too. */
export function givenTo({ definition, prompt }: TakenRun, step: StepStart): string[] {
  return [agentOf(definition, step).instructions, prompt]
}

/**
 * Everything that a step works with. A step without files, memory or connectors needs no read, once
 * its tools are stored.
 */
export async function prepareStep(
  {
    services: { database, sandbox },
    port,
    offers,
  }: {
    services: Pick<WorkerServices, 'database' | 'sandbox'>
    port: WorkerPort
    offers: OfferedTools
  },
  run: TakenRun,
  step: StepStart,
  input: string,
  storedTurns: number,
): Promise<Omit<StepWork, 'tries' | 'costUsd'>> {
  const { fence, definition, workflowId } = run
  const { humanInTheLoop, limits } = definition
  const agent = agentOf(definition, step)
  const { capabilities, memory, maxTokens, outputSchema, rules } = agent
  const files = mayHaveFiles(run, step) ? await port.openFiles(fence, step.position) : undefined
  // The prompt names the file tools, so their names must not be taken by other tools.
  const fileTools = files?.tools ?? []
  // Neither changes while the step runs.
  const fixedTools = [...openCallerTools(agent.tools), ...fileTools]
  const open = async () => [...(await port.openTools(fence.accountId, capabilities)), ...fixedTools]
  const tools = capabilities.length === 0 ? fixedTools : await open()
  const turns =
    storedTurns === 0 ? [] : ((await readTurns(database, fence, step.position)) as Turn[])
  const notes = memorySection(step.memory)
  const site = {
    agent: { id: step.agentId ?? '', role: step.role },
    workflow: { id: workflowId },
    run: { id: fence.runId, tags: run.tags ?? {} },
  }
  const levels = tools.length === 0 ? [] : levelsOf(await port.knownRules(fence.accountId), rules)
  const now = Date.now()
  const evaluated = hasFixed(levels)
    ? await evaluateConditions(
        { accountId: fence.accountId, action: 'prepare step', sandbox },
        tools.map(({ id: action }) => ({ levels, facts: { ...site, action } })),
        now,
      )
    : []
  const fixedOf = ({ id: action, inputSchema }: Action): string[] => {
    const own = evaluated[tools.findIndex(({ id }) => id === action)] ?? levels
    return Object.keys(fixedFor(own, { ...site, action }, inputSchema, now).values)
  }
  const box = createToolbox(tools, { memory, humanInTheLoop, fixedOf })
  return {
    step,
    model: step.model,
    fallbacks: agent.fallbacks ?? [],
    instructions: notes === '' ? agent.instructions : `${agent.instructions}\n\n${notes}`,
    input,
    ...(files && { files }),
    given: givenTo(run, step),
    maxTokens,
    outputSchema,
    box,
    currentBox: async () => (capabilities.length === 0 ? box : withCurrentTools(box, await open())),
    toolsHash: await offers.keep(fence.accountId, box),
    scope: scopeOf(workflowId, agent),
    turns,
    policy: humanInTheLoop,
    limits,
    approved: definition.approved?.runId === fence.runId ? definition.approved : undefined,
    isDoubted: run.isDoubted,
    capabilities,
    tools: (agent.tools ?? []).map(({ name }) => callerAction(name)),
    rules,
    site,
  }
}

/** The run has files, or an earlier step may have written one; others skip the read. */
function mayHaveFiles({ hasFiles, definition }: TakenRun, { position }: StepStart): boolean {
  const before = definition.crew.slice(0, position)
  // A long result of a caller's tool is a file too.
  return (
    hasFiles ||
    before.some(
      ({ capabilities, tools }) => capabilities.includes(writeFileAction) || tools !== undefined,
    )
  )
}

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

function createToolbox(
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
function withCurrentTools(box: Toolbox, tools: Tool[]): Toolbox {
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
  /** An evicted entry is stored once more, which changes nothing. */
  readonly #kept = new LRUCache<string, true>({ max: 10_000 })

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
    this.#kept.set(key, true)
    return hash
  }
}
