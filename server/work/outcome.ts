import type { Logger } from 'pino'
import { codeOf, logFailure, outageOf } from '../db/outage.ts'
import { DomainError, type ErrorCode } from '../errors.ts'
import { storable } from '../safe-text.ts'

/**
 * The outcome of an item of background work, such as a delivery of a hook or an item of a batch. It
 * is done; or refused for good, and people read why; or it is tried again later. An error that says
 * neither is a failed try. After `maxTries` failed tries over at least a minute the item is refused
 * with the error, so that it cannot hold up the items behind it. Nothing else decides what is
 * temporary.
 */
export type Outcome<T = unknown> = Done<T> | Refused | Later

export interface Done<T> {
  kind: 'done'
  value: T
}

export interface Refused {
  kind: 'refused'
  why: string
  /** The error that an API request would get. */
  error?: DomainError
}

export interface Later {
  kind: 'later'
  why: string
  /** When to try again. */
  seconds: number
  /** Tried again at this pace, however long it waits. */
  isSteady?: true
  error?: DomainError
}

export function done<T>(value: T): Done<T> {
  return { kind: 'done', value }
}

export function refused(why: string): Refused {
  return { kind: 'refused', why: wordsOf(why) }
}

/** Reasons that pass by themselves or when somebody changes a setting, and when to try again. */
const passing: Partial<Record<ErrorCode, number>> = {
  workflow_paused: 15,
  account_suspended: 60,
  quota_reached: 60,
  budget_reached: 60,
}
const unavailableSeconds = 5
const rateLimitedSeconds = 30

/** The outcome that an error stands for; undefined for an error that is a failed try. */
export function outcomeOf(error: unknown): Refused | Later | undefined {
  if (!(error instanceof DomainError)) {
    const outage = outageOf(error)
    if (outage === undefined) return undefined
    return { kind: 'later', why: `The database ${outage}`, seconds: unavailableSeconds }
  }
  const { code, type } = error
  if (type === 'internal') return undefined
  const why = wordsOf(error.message)
  const seconds = error.retryAfterSeconds ?? passing[code] ?? secondsOf(type)
  return seconds === undefined
    ? { kind: 'refused', why, error }
    : { kind: 'later', why, seconds, error }
}

function secondsOf(type: DomainError['type']): number | undefined {
  if (type === 'unavailable') return unavailableSeconds
  return type === 'rate_limited' ? rateLimitedSeconds : undefined
}

/** Seconds to the next try after the first failed one, after the second, and so on: a minute. */
const pauses = [5, 10, 20, 30]
export const maxTries = pauses.length + 1

/** The outcome of a try; one that is tried again may have a value to record. */
export type Tried<T> = Done<T> | Refused | (Later & { value?: T })

/** The same, and how many tries of the item have failed, with this one. */
export type Attempted<T> = Tried<T> & { tries: number }

export interface Trying {
  log: Logger
  /** Failed tries so far. */
  tries: number
  /** What is tried, for the log: "a hook delivery". */
  what: string
  /** Ids for the log. */
  facts: Record<string, unknown>
}

/** Works on an item once. Never rejects: an error becomes an outcome. */
export async function attempt<T>(
  { log, tries, what, facts }: Trying,
  work: () => Promise<Tried<T>>,
): Promise<Attempted<T>> {
  try {
    return { ...(await work()), tries }
  } catch (error) {
    const known = outcomeOf(error)
    if (known?.kind === 'refused') return { ...known, tries }
    const outcome = known === undefined ? afterFailure(tries + 1, error) : { ...known, tries }
    logFailure(log, error, `${what} failed`, { ...facts, tries: outcome.tries })
    return outcome
  }
}

/** The outcome of an item's n-th failed try. */
function afterFailure(tries: number, error: unknown): (Refused | Later) & { tries: number } {
  const reason = reasonOf(error)
  const seconds = pauses[tries - 1]
  if (seconds === undefined) {
    return { ...refused(`It failed ${tries} times: ${reason}`), tries }
  }
  return { kind: 'later', why: wordsOf(`It is tried again: ${reason}`), seconds, tries }
}

/** An unexpected error in words for people: never the text of a statement or its values. */
export function reasonOf(error: unknown): string {
  if (/^[0-9A-Z]{5}$/.test(codeOf(error))) return `the database refused it (${codeOf(error)})`
  return `an internal error (${error instanceof Error ? error.message : String(error)})`
}

const maxReason = 500

function wordsOf(text: string): string {
  return storable(text).slice(0, maxReason)
}

/** Longest time between two tries of an item that waits. */
const longestWaitSeconds = 60

/**
 * When an item that waits is tried again: the longer it has waited, the less often, so that a long
 * pause with many items stays cheap.
 */
export function waitSeconds(
  { seconds, isSteady }: Pick<Later, 'seconds' | 'isSteady'>,
  ageSeconds: number,
): number {
  if (isSteady) return seconds
  return Math.max(seconds, Math.min(ageSeconds / 4, longestWaitSeconds))
}
