import { ByteBudget, type ByteBudgetSize } from '../byte-budget.ts'
import { cannot, type ErrorCode } from '../errors.ts'
import type { Limits } from '../limits.ts'
import { RateLimiter } from '../rate-limiter.ts'
import { Slots, type Refusal, type SlotsSize } from '../slots.ts'
import type { Config } from './config.ts'

/**
 * Every bound that requests and runs of a process share: slots for heavy work, requests or bytes per minute, and bytes
 * in memory. `docs/limits.md` is generated from this table. What is bounded for one object, such as the size of a file,
 * is with that object.
 */
export type Row = SlotsRow | RateRow | BytesRow

/** A size, or how it follows from the settings. */
type Sized<Size> = Size | ((config: Config) => Size)

interface About {
  /** What is counted, for the documentation. */
  what: string
  usedBy: string
  /** The setting that changes it. */
  setting?: string
  /** What has a share of its own; an account by default. */
  of?: string
}

interface Beyond {
  code: ErrorCode
  why: string
  retryAfterSeconds: number
}

interface SlotsRow extends About {
  slots: Sized<SlotsSize>
  beyond: Beyond
  /** For an account that has no slot, because others have all; the same as `beyond` by default. */
  beyondOthers?: Beyond
  /** Accounts that are over this budget get no slot. */
  blockedBy?: 'unreadAnswers'
}

interface RateRow extends About {
  /** `burst` may come at once, a minute's worth by default. */
  rate: Sized<{ perMinute: number; burst?: number }>
  unit: 'requests' | 'bytes'
}

interface BytesRow extends About {
  bytes: Sized<ByteBudgetSize>
}

type RowOf<Limit> = Limit extends Slots ? SlotsRow : Limit extends RateLimiter ? RateRow : BytesRow

const MiB = 1024 * 1024
const tooManyFiles = {
  code: 'too_many_uploads',
  why: 'too many files are in progress, try again later',
  retryAfterSeconds: 5,
} as const
const tooManyTrainingSets = {
  code: 'too_many_uploads',
  why: 'too many training sets are in progress, try again later',
  retryAfterSeconds: 5,
} as const
const tooMuchWork = {
  code: 'too_busy',
  why: 'too much work of this kind is in progress, try again later',
  retryAfterSeconds: 5,
} as const
const fileLine = { waiting: 100, waitingPerAccount: 20, waitMs: 60_000 }
const noLine = { waiting: 0, waitingPerAccount: 0, waitMs: 0 }

export const rows: { [Name in keyof Limits]: RowOf<Limits[Name]> } = {
  requestsOfKey: {
    what: 'requests',
    usedBy: 'all API requests; those without a key count for their network address',
    setting: 'MUSTER_RATE_LIMIT',
    of: 'key or session',
    unit: 'requests',
    rate: ({ rateLimitPerMinute: perMinute }) => ({ perMinute }),
  },
  requestsOfAccount: {
    what: 'requests of all keys',
    usedBy: 'all API requests',
    setting: 'MUSTER_ACCOUNT_RATE_LIMIT',
    unit: 'requests',
    // Ten seconds' worth at once, so that many keys do not add up to a minute's worth; never less than one key's limit.
    rate: ({ accountRateLimitPerMinute: perMinute, rateLimitPerMinute }) => ({
      perMinute,
      burst: Math.max(perMinute / 6, rateLimitPerMinute),
    }),
  },
  answerBytes: {
    what: 'bytes of responses, after which large ones are refused',
    usedBy: 'lists and whole runs',
    setting: 'MUSTER_ACCOUNT_RATE_MB',
    unit: 'bytes',
    // Responses larger than the burst put the account into debt, up to a minute's worth.
    rate: ({ accountBytesPerMinute: perMinute }) => ({ perMinute, burst: perMinute / 6 }),
  },
  largeAnswers: {
    what: 'large responses being read and serialized',
    usedBy: 'lists and whole runs',
    setting: 'MUSTER_DATABASE_READ_CONNECTIONS',
    blockedBy: 'unreadAnswers',
    // One connection of the pool is left for small reads; as many may wait as requests may be held open.
    slots: ({ connections: { reads } }) => {
      const active = Math.max(1, reads - 1)
      const activePerAccount = Math.max(1, active - 1)
      return {
        active,
        activePerAccount,
        waiting: 10_000,
        waitingPerAccount: 1_000,
        waitMs: 2_000,
      }
    },
    beyond: {
      code: 'rate_limited',
      why: 'too many large answers of the account are under way, try again later',
      retryAfterSeconds: 1,
    },
  },
  unreadAnswers: {
    what: 'responses that clients have not read; above it, further large responses wait',
    usedBy: 'lists and whole runs',
    bytes: { perAccount: 16 * MiB },
  },
  heldRequests: {
    what: 'event streams, downloads of results and requests with `?wait=`',
    usedBy: 'runs, batches, exports of accounts',
    slots: { active: Infinity, activePerAccount: 1_000, ...noLine },
    beyond: {
      code: 'too_many_held_requests',
      why: 'the account has 1000 streams and waiting requests open, at most 1000',
      retryAfterSeconds: 5,
    },
  },
  connections: {
    what: 'statements of requests; two connections are left for sign-in, triggers and the engine',
    usedBy: 'all API requests',
    setting: 'MUSTER_DATABASE_CONNECTIONS',
    slots: ({ connections: { database } }) => {
      const active = Math.max(1, database - 2)
      const activePerAccount = Math.max(1, active - 1)
      return {
        active,
        activePerAccount,
        waiting: 50_000,
        waitingPerAccount: 5_000,
        waitMs: 1_500,
      }
    },
    // What an account's own requests cause is its rate; otherwise the process has too much to do.
    beyond: {
      code: 'rate_limited',
      why: 'other requests of the account use it',
      retryAfterSeconds: 1,
    },
    beyondOthers: {
      code: 'too_busy',
      why: 'other accounts use all connections',
      retryAfterSeconds: 2,
    },
  },
  triggers: {
    what: 'triggers that wait to be stored',
    usedBy: 'triggering runs',
    slots: { active: Infinity, activePerAccount: 2_000, ...noLine },
    beyond: {
      code: 'rate_limited',
      why: '2000 triggers of the account wait to be stored, at most 2000',
      retryAfterSeconds: 1,
    },
  },
  waitingClaims: {
    what: 'claims with `wait_seconds` that wait for a call of a tool',
    usedBy: 'workers of callers',
    slots: { active: Infinity, activePerAccount: 1_000, ...noLine },
    beyond: {
      code: 'too_many_held_requests',
      why: 'the account has 1000 claims that wait, at most 1000',
      retryAfterSeconds: 5,
    },
  },
  hookEventsOfAccount: {
    what: 'events sent to hooks',
    usedBy: 'hooks',
    setting: 'MUSTER_ACCOUNT_RATE_LIMIT',
    unit: 'requests',
    rate: ({ accountRateLimitPerMinute: perMinute }) => ({ perMinute }),
  },
  hookEventsOfHook: {
    what: 'events sent to one hook',
    usedBy: 'hooks',
    setting: 'MUSTER_ACCOUNT_RATE_LIMIT',
    of: 'hook',
    unit: 'requests',
    rate: ({ accountRateLimitPerMinute }) => ({
      perMinute: Math.ceil(accountRateLimitPerMinute / 2),
    }),
  },
  unknownHooks: {
    what: 'requests to addresses of no hook',
    usedBy: 'hooks',
    of: 'network address',
    unit: 'requests',
    rate: { perMinute: 60 },
  },
  hookRefusals: {
    what: 'refused events that are recorded; others are refused without a record',
    usedBy: 'hooks',
    of: 'hook',
    unit: 'requests',
    rate: { perMinute: 60 },
  },
  fileUploads: {
    what: 'files being received; each holds a few megabytes in memory',
    usedBy: 'uploading a file',
    slots: { active: 16, activePerAccount: 4, ...fileLine },
    beyond: tooManyFiles,
  },
  fileTexts: {
    what: 'texts of files being read',
    usedBy: 'uploading a file',
    slots: { active: 8, activePerAccount: 4, ...fileLine },
    beyond: tooManyFiles,
  },
  documents: {
    what: 'PDF, Word and Excel files being read, each in a thread of its own',
    usedBy: 'uploading a file',
    slots: { active: 2, activePerAccount: 2, ...fileLine },
    beyond: tooManyFiles,
  },
  fileDownloads: {
    what: 'files being sent; each holds up to a megabyte in memory',
    usedBy: 'downloading a file',
    slots: { active: 48, activePerAccount: 12, ...fileLine },
    beyond: tooManyFiles,
  },
  filesForModels: {
    what: 'model calls with more than 256 KB of files',
    usedBy: 'runs',
    slots: {
      active: 6,
      activePerAccount: 3,
      waiting: 1_000,
      waitingPerAccount: 200,
      waitMs: 60_000,
    },
    beyond: {
      code: 'too_busy',
      why: 'too many calls with large files are under way',
      retryAfterSeconds: 5,
    },
  },
  batchBodies: {
    what: 'batches in memory, from the first byte until they are parsed',
    usedBy: 'creating a batch',
    slots: {
      active: 4,
      activePerAccount: 1,
      waiting: 100,
      waitingPerAccount: 10,
      waitMs: 30_000,
    },
    beyond: {
      code: 'too_many_uploads',
      why: 'too many batches arrive at once, try again later',
      retryAfterSeconds: 5,
    },
  },
  trainingBodies: {
    what: 'training sets in memory, from the first byte until they are read',
    usedBy: 'fine-tunes',
    slots: {
      active: 8,
      activePerAccount: 2,
      waiting: 100,
      waitingPerAccount: 10,
      waitMs: 30_000,
    },
    beyond: tooManyTrainingSets,
  },
  trainingUploads: {
    what: 'training sets being uploaded to their provider',
    usedBy: 'fine-tunes',
    // One that waits uses the memory of the compressed set.
    slots: { active: 8, activePerAccount: 4, waiting: 16, waitingPerAccount: 4, waitMs: 30_000 },
    beyond: tooManyTrainingSets,
  },
  mailboxMessages: {
    what: 'messages in memory, with their attachments, until their run has started',
    usedBy: 'mailboxes',
    slots: { active: 4, activePerAccount: 2, waiting: 20, waitingPerAccount: 20, waitMs: 120_000 },
    beyond: {
      code: 'too_busy',
      why: 'too many messages are being read, try again later',
      retryAfterSeconds: 5,
    },
  },
  memorySearches: {
    what: 'searches of memory',
    usedBy: 'searching memory',
    // Leaves database connections and CPU to others.
    slots: { active: Infinity, activePerAccount: 2, ...noLine },
    beyond: {
      code: 'rate_limited',
      why: 'the account has 2 searches under way, at most 2',
      retryAfterSeconds: 1,
    },
  },
  exports: {
    what: 'exports of accounts; each uses a connection of the pool for reads',
    usedBy: 'export of an account, by itself or its operator',
    slots: { active: 2, activePerAccount: 1, waiting: 20, waitingPerAccount: 1, waitMs: 30_000 },
    beyond: {
      code: 'rate_limited',
      why: 'other exports are under way, try again later',
      retryAfterSeconds: 30,
    },
  },
  mcpToolLists: {
    what: 'MCP servers being asked for their tools',
    usedBy: 'connecting and testing an MCP server',
    slots: {
      active: 6,
      activePerAccount: 2,
      waiting: 500,
      waitingPerAccount: 50,
      waitMs: 30_000,
    },
    beyond: {
      code: 'rate_limited',
      why: 'too many MCP servers of the account are asked for their tools, try again later',
      retryAfterSeconds: 5,
    },
  },
  apiDocuments: {
    what: 'OpenAPI documents being received or read',
    usedBy: 'connecting and testing an HTTP API',
    slots: {
      active: 4,
      activePerAccount: 2,
      waiting: 100,
      waitingPerAccount: 20,
      waitMs: 60_000,
    },
    beyond: {
      code: 'rate_limited',
      why: 'too many OpenAPI documents of the account are being read, try again later',
      retryAfterSeconds: 5,
    },
  },
  mcpStreams: {
    what: "streams of MCP servers' own messages; without one, calls work as well",
    usedBy: 'calls of MCP servers',
    of: 'server',
    slots: { active: 200, activePerAccount: 50, ...noLine },
    beyond: { code: 'too_busy', why: 'too many streams are open', retryAfterSeconds: 5 },
  },
  clientDocuments: {
    what: 'metadata documents of OAuth clients being read',
    usedBy: 'programs that ask a person for access to `/mcp`',
    of: 'host of the document',
    slots: { active: 8, activePerAccount: 1, waiting: 100, waitingPerAccount: 10, waitMs: 10_000 },
    beyond: {
      code: 'too_busy',
      why: 'too many documents of clients are being read, try again later',
      retryAfterSeconds: 5,
    },
  },
  callAnswers: {
    what: 'bytes of answers being read from MCP servers and other addresses of users',
    usedBy: 'calls of MCP servers',
    bytes: { free: 64 * 1024, perAccount: 16 * MiB, all: 96 * MiB },
  },
  passwordHashes: {
    what: 'passwords being hashed; each takes 19 MiB and a core for a moment',
    usedBy: 'sign-in, new passwords',
    of: 'network address',
    slots: { active: 2, activePerAccount: 2, waiting: 40, waitingPerAccount: 20, waitMs: 10_000 },
    beyond: {
      code: 'too_many_sign_ins',
      why: 'too many passwords are being checked, try again later',
      retryAfterSeconds: 5,
    },
  },
  quickTasks: {
    what: 'threads for templates, conditions, JSON Schemas and large answers of MCP servers',
    usedBy: 'requests, hooks, schedules and runs',
    slots: {
      active: 4,
      activePerAccount: 2,
      waiting: 1_000,
      waitingPerAccount: 40,
      waitMs: 10_000,
    },
    beyond: tooMuchWork,
  },
  longTasks: {
    what: 'threads for messages, web pages, training data, and CSV and JSON Lines of batches',
    usedBy: 'mailboxes, `web.fetch`, fine-tunes and batches',
    slots: {
      active: 4,
      activePerAccount: 2,
      waiting: 100,
      waitingPerAccount: 20,
      waitMs: 60_000,
    },
    beyond: tooMuchWork,
  },
}

export function createLimits(config: Config): Limits {
  const limits: Partial<Record<string, Slots | RateLimiter | ByteBudget>> = {}
  const create = (row: Row): Slots | RateLimiter | ByteBudget => {
    if ('bytes' in row) return new ByteBudget(sizeOf(row.bytes, config))
    if ('rate' in row) {
      const { perMinute, burst } = sizeOf(row.rate, config)
      return new RateLimiter(perMinute, burst)
    }
    const { blockedBy: budget } = row
    const isBlocked =
      budget && ((accountId: string) => (limits[budget] as ByteBudget).isOver(accountId))
    return createSlots(row, config, isBlocked)
  }
  for (const [name, row] of Object.entries(rows)) limits[name] = create(row)
  return limits as unknown as Limits
}

export function createSlots(
  { slots, beyond, beyondOthers = beyond }: SlotsRow,
  config: Config,
  isBlocked?: (accountId: string) => boolean,
): Slots {
  const refuse: Refusal = (action, own) => {
    const { code, why, retryAfterSeconds } = own > 0 ? beyond : beyondOthers
    return cannot({ action }, code, why, { retryAfterSeconds })
  }
  return new Slots(sizeOf(slots, config), refuse, isBlocked)
}

export function sizeOf<Size extends object>(sized: Sized<Size>, config: Config): Size {
  return typeof sized === 'function' ? sized(config) : sized
}
