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

/**
 * The services of a process, made once at start by `start/app.ts`. A verb takes what it needs of them by its type:
 * `Pick<Services, 'database' | 'secrets'>` where it runs without a request, `Context` where it answers one.
 */
export interface Services {
  /** Pool for short statements. `db/client.ts` says what each pool is for. */
  database: Database
  /** Bounds how many of its connections one account has at a time. A request's `database` is such a share. */
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
  /** Definitions of the runs that this process began. */
  definitions: DefinitionCache
  /** Writes triggers that arrive together in one statement. */
  triggers: Gatherer<TriggeredRun, Insertion>
  secrets: SecretBox
  outbound: Outbound
  toolSettings: ToolSettings
  /** Sessions with MCP servers, one a server and run. */
  mcpSessions: McpSessions
  /** Address of the service for people; links begin with it. */
  publicUrl: string
  /** Most runs of an account that are in progress at once. */
  accountConcurrency: number
  /** Stores of the bytes of files. */
  contents: ContentStores
  /** Most bytes of files of an account without a quota of its own. */
  fileBytesPerAccount: number
  /** Sign-in at an identity provider; undefined where none is configured. */
  oidc: OidcClient | undefined
  log: Logger
}

export type { AuditOrigin }

/** The services with the account and the person or key that a request came from. */
export interface Caller extends Services {
  accountId: string
  account: AccountState
  actor: Actor
  role: CallerRole
}

/** The caller with what messages and audit need to know of the operation. */
export interface Context extends Caller {
  /** Completes "Cannot …" in messages. */
  action: string
  audit: AuditOrigin
}
