import type { Logger } from 'pino'
import type { AuditOrigin } from './audit/record.ts'
import type { AccountState, Actor } from './identity.ts'
import type { AccountShares } from './db/account-shares.ts'
import type { Database } from './db/client.ts'
import type { Feed } from './engine/feed/feed.ts'
import type { AccountModels } from './account-models/account-models.ts'
import type { ContentStores } from './contents/contents.ts'
import type { FineTuneProviders } from './fine-tunes/providers/providers.ts'
import type { Models } from './models/models.ts'
import type { Outbound } from './outbound/outbound.ts'
import type { Queue } from './engine/queue/queue.ts'
import type { OidcClient } from './people/oidc/client.ts'
import type { CallerRole } from './roles.ts'
import type { SecretBox } from './secret-box.ts'
import type { ToolSettings } from './tools/connector.ts'
import type { McpSessions } from './connectors/mcp/sessions.ts'
import type { Gatherer } from './db/batcher.ts'
import type { Insertion, TriggeredRun } from './engine/journal/begin.ts'
import type { Acknowledged } from './engine/safety/acknowledged.ts'
import type { DefinitionCache } from './engine/queue/dispatch.ts'

/** What an operation works with, made once at start. */
export interface Services {
  /** Short statements; the others are what the pools of a process say (`db/client.ts`). */
  database: Database
  /** Of those connections, what requests of one account may have: the `database` of its verbs. */
  shares: AccountShares
  reads: Database
  supervision: Database
  queue: Queue
  /** Those of the server; of an account, see `accountModels`. A verb's context has its account's. */
  models: Models
  accountModels: AccountModels
  fineTunes: FineTuneProviders
  feed: Feed
  acknowledged: Acknowledged
  /** Of the runs that this process has begun. */
  definitions: DefinitionCache
  /** Triggers that arrive together share one statement. */
  triggers: Gatherer<TriggeredRun, Insertion>
  secrets: SecretBox
  outbound: Outbound
  toolSettings: ToolSettings
  /** What MCP servers remember of the runs of this process. */
  mcpSessions: McpSessions
  /** Where people reach the service: the base of links. */
  publicUrl: string
  /** Runs of an account in progress at once, up to. */
  accountConcurrency: number
  /** Where the bytes of files are. */
  contents: ContentStores
  /** Bytes that the files of an account may have, where its operator set no quota. */
  fileBytesPerAccount: number
  /** Sign-in at a provider; undefined where none is configured. */
  oidc: OidcClient | undefined
  log: Logger
}

export type { AuditOrigin }

/** Who asks, known for each request. */
export interface Caller extends Services {
  accountId: string
  account: AccountState
  actor: Actor
  role: CallerRole
}

/** What a verb works with. */
export interface Context extends Caller {
  /** Completes "Cannot …" in messages. */
  action: string
  audit: AuditOrigin
}
