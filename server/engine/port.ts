import type { Logger } from 'pino'
import type { OnCap, Reservation, Subject } from '../budgets/reserve.ts'
import type { Database, Transaction } from '../db/client.ts'
import type { Writer, WrittenFile } from '../files/for-agents/write-file.ts'
import type { Kept } from '../memory/keep-note.ts'
import type { MemoryScope } from '../memory/schema.ts'
import type { ModelInfo, ModelMessage } from '../models/contract.ts'
import type { Models } from '../models/models.ts'
import type { Judging } from '../agents/forbidden-calls.ts'
import type { Policies, Rule } from '../policies/schema.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Tool, ToolResult } from '../tools/contract.ts'
import type { Feed } from './feed/feed.ts'
import type { Acknowledged } from './journal/epochs.ts'
import type { DefinitionCache } from './queue/dispatch.ts'
import type { Queue } from './queue/queue.ts'
import type { AgentForRun } from './run/definition.ts'
import type { ToolCall } from './run/ledger.ts'
import type { RunKey } from './run/run.ts'
import type { ShownEntry } from './run/step.ts'

/**
 * What a worker asks outside of the engine. `start/worker-port.ts` answers from the rooms; tests of the worker answer
 * themselves. `engine/worker` imports none of these rooms.
 */
export interface WorkerPort {
  /** The account's models, which make its model calls. Asked for each turn, because a key may be replaced meanwhile. */
  modelsOf: (accountId: string) => Promise<Models>
  /** A fine-tuned model of the account, until its fine-tune is deleted. */
  findTunedModel: (accountId: string, models: Models, id: string) => Promise<ModelInfo | undefined>
  /** Agents in their current state. */
  readAgents: (keys: { accountId: string; id: string }[]) => Promise<AgentForRun[]>
  /** Approved calls that may no longer be made, by id, each with the message for its agent. */
  findForbidden: (judging: Judging, calls: readonly ToolCall[]) => Promise<Map<string, string>>
  /** Current policies, also within a transaction. */
  readPolicies: (database: Database | Transaction, accountId: string) => Promise<Policies>
  /** The account's rules, up to a second old. */
  knownRules: (accountId: string) => Promise<Rule[]>
  /** The tools of these capabilities. */
  openTools: (accountId: string, capabilities: string[]) => Promise<Tool[]>
  /** Ends what tools keep open for a run. */
  endRun: (runId: string) => void
  /** Whether each of these memories has entries. */
  haveMemory: (wanted: { accountId: string; scope: MemoryScope }[]) => Promise<boolean[]>
  /** The entries that a step is shown with this input. */
  recallMemory: (accountId: string, scope: MemoryScope, input: string) => Promise<ShownEntry[]>
  /** Makes the call of a memory tool in the ledger's transaction. */
  keepNote: (transaction: Transaction, place: NotePlace, call: NoteCall) => Promise<Kept>
  /** The files that a step can use; undefined if there are none. */
  openFiles: (run: RunKey, position: number) => Promise<StepFiles | undefined>
  /** Stores the contents of a file; creates it in the ledger's transaction. */
  writeFile: (writer: Writer, call: Pick<ToolCall, 'id' | 'input'>) => Promise<WrittenFile>
  /** The same for the answer of a call, which is a file because it is large. */
  storeAnswer: (writer: Writer, callId: string, answer: AnswerFile) => Promise<WrittenFile>
  /** Reserves the estimate of a model call with the account's budgets; `passed` do not stop it. */
  reserveCall: (subject: Subject, estimateUsd: number, passed: OnCap[]) => Promise<Reservation>
}

type AnswerFile = NonNullable<ToolResult['file']>
type NoteCall = Pick<ToolCall, 'id' | 'tool' | 'input'>

interface NotePlace extends RunKey {
  scope: MemoryScope | undefined
}

export interface StepFiles {
  /** The messages with the files, in the form that the model accepts; for one model call. */
  attach: (
    model: ModelInfo | undefined,
    messages: ModelMessage[],
  ) => Promise<Disposable & { messages: ModelMessage[] }>
  /** Tools that read them. */
  tools: Tool[]
}

/** The engine's own services, and those that have no room. */
export interface WorkerServices {
  database: Database
  queue: Queue
  feed: Feed
  acknowledged: Acknowledged
  definitions: DefinitionCache
  sandbox: Sandbox
  log: Logger
  /** Timeout of a tool call. */
  toolTimeoutMs: number
}

export type { MemoryScope, Reservation, OnCap }
