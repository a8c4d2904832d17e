import type { Logger } from 'pino'
import type { AuditOrigin } from './audit/record.ts'
import type { AccountState, Actor, CallerRole } from './identity.ts'
import type { AccountShares } from './db/account-shares.ts'
import type { Database } from './db/client.ts'
import type { Feed } from './engine/feed/feed.ts'
import type { AccountModels } from './account-models/account-models.ts'
import type { ContentStores } from './contents/contents.ts'
import type { FineTuneProviders } from './fine-tunes/providers/providers.ts'
import type { Limits } from './limits.ts'
import type { Models } from './models/models.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { Person } from './engine/run/fields.ts'
import type { Queue } from './engine/queue/queue.ts'
import type { OidcClient } from './people/oidc/client.ts'
import type { KeyedMutex } from './keyed-mutex.ts'
import type { Sandbox } from './sandbox/sandbox.ts'
import type { SecretBox } from './secret-box.ts'
import type { ToolSettings } from './tools/connector.ts'
import type { McpSessions } from './connectors/mcp/sessions.ts'
import type { Gatherer } from './db/batcher.ts'
import type { Insertion, TriggeredRun } from './engine/journal/begin.ts'
import type { Acknowledged } from './engine/journal/epochs.ts'
import type { DefinitionCache } from './engine/queue/dispatch.ts'

/** Claims that wait without a connection, see `server/tool-calls/waiting-claims.ts`. */
export interface ClaimLine {
  wait<Item>(
    of: { accountId: string; names: readonly string[] | undefined },
    claim: () => Promise<Item[]>,
    ms: number,
    signal: AbortSignal,
  ): Promise<Item[]>
}

/**
 * The services of a process, created once at the start by `start/app.ts`. Functions declare what
 * they need: `Pick<Services, 'database' | 'secrets'>` if they run without a request, `Context` if
 * they answer one.
 */
export interface Services {
  /** Pool for short statements. `db/client.ts` says what each pool is for. */
  database: Database
  /**
   * Limits how many of its connections one account uses at a time. A request's `database` is such a
   * share.
   */
  shares: AccountShares
  reads: Database
  supervision: Database
  queue: Queue
  /** The server's models; in the context of a request, those of its account. */
  models: Models
  accountModels: AccountModels
  fineTunes: FineTuneProviders
  feed: Feed
  acknowledged: Acknowledged
  /** Cached definitions of runs. */
  definitions: DefinitionCache
  /** Batches triggers that arrive together. */
  triggers: Gatherer<TriggeredRun, Insertion>
  /** Answers to one run, which would wait for each other's lock with a connection each. */
  answers: KeyedMutex
  secrets: SecretBox
  outbound: Outbound
  toolSettings: ToolSettings
  /** Sessions with MCP servers, one for each server and run. */
  mcpSessions: McpSessions
  /** Base URL of links for people. */
  publicUrl: string
  /** Limit of an account's runs in progress. */
  accountConcurrency: number
  /** Stores of file contents. */
  contents: ContentStores
  /** Limit for the files of an account without its own quota. */
  fileBytesPerAccount: number
  /** Sign-in through an OIDC provider; undefined if none is configured. */
  oidc: OidcClient | undefined
  /** Threads for work whose cost users decide. */
  sandbox: Sandbox
  /** Claims of this process that wait for a call of a caller's tool. */
  waitingClaims: ClaimLine
  /** Bounds that all requests and runs of this process share. */
  limits: Limits
  log: Logger
}

export type { AuditOrigin }

/** The services with the account and the actor of a request. */
export interface Caller extends Services {
  accountId: string
  account: AccountState
  actor: Actor
  role: CallerRole
}

/** The caller, with the operation's facts for messages and the audit log. */
export interface Context extends Caller {
  /** Completes "Cannot …" in messages. */
  action: string
  audit: AuditOrigin
  /** The people behind the schedule, hook or the like in whose name this is done. */
  onBehalfOf?: Person[] | undefined
}
