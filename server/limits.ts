import type { ByteBudget } from './byte-budget.ts'
import type { RateLimiter } from './rate-limiter.ts'
import type { Slots } from './slots.ts'

/**
 * The bounds that all requests and runs of a process share. They are created once, at the start; `start/limits.ts` has
 * the size of each and who uses it, and `docs/limits.md` lists them.
 */
export interface Limits {
  requestsOfKey: RateLimiter
  requestsOfAccount: RateLimiter
  answerBytes: RateLimiter
  largeAnswers: Slots
  unreadAnswers: ByteBudget
  heldRequests: Slots
  connections: Slots
  triggers: Slots
  waitingClaims: Slots
  hookEventsOfAccount: RateLimiter
  hookEventsOfHook: RateLimiter
  unknownHooks: RateLimiter
  hookRefusals: RateLimiter
  fileUploads: Slots
  fileTexts: Slots
  documents: Slots
  fileDownloads: Slots
  filesForModels: Slots
  batchBodies: Slots
  trainingBodies: Slots
  trainingUploads: Slots
  mailboxMessages: Slots
  memorySearches: Slots
  exports: Slots
  mcpToolLists: Slots
  apiDocuments: Slots
  mcpStreams: Slots
  clientDocuments: Slots
  callAnswers: ByteBudget
  passwordHashes: Slots
  quickTasks: Slots
  longTasks: Slots
}
