import { hash, randomFillSync } from 'node:crypto'
import { TypeID } from 'typeid-js'

/** The prefixes of Muster's ids: TypeIDs, that is a prefix and a time-ordered UUIDv7 in base32. */
export type IdPrefix =
  | 'wf'
  | 'run'
  | 'step'
  | 'evt'
  | 'key'
  | 'acc'
  | 'req'
  | 'whk'
  | 'dlv'
  | 'agt'
  | 'mem'
  | 'pnd'
  | 'call'
  | 'ft'
  | 'usr'
  | 'inv'
  | 'ses'
  | 'aud'
  | 'file'
  | 'cnt'

/**
 * Makes a new id, such as `run_01ktbz3v9se0c9x1hm8q5gkxvn`. Those of one process grow. Made here and
 * not by the library, which takes ten times as long: a run makes fourteen.
 *
 * A UUIDv7 in base32: 48 bits of time, the version 7, 12 bits that count within a millisecond, the
 * variant 2, 62 random bits.
 */
export function newId(prefix: IdPrefix): string {
  tick()
  const random = takeRandom()
  let suffix = time
  suffix += alphabet[14 | (count >> 11)]
  suffix += alphabet[(count >> 6) & 31]
  suffix += alphabet[(count >> 1) & 31]
  suffix += alphabet[((count & 1) << 4) | 8 | ((randomBytes[random] as number) & 3)]
  for (let at = random + 1; at < random + randomPerId; at++) {
    suffix += alphabet[(randomBytes[at] as number) & 31]
  }
  return `${prefix}_${suffix}`
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const maxCount = 0xfff
let nowMs = 0
/** `nowMs` in base32. */
let time = ''
let count = 0

/** The next place in time: begins a new millisecond early when the count is full. */
function tick(): void {
  const ms = Math.max(Date.now(), nowMs)
  if (ms === nowMs && count < maxCount) {
    count++
    return
  }
  nowMs = ms === nowMs ? ms + 1 : ms
  count = 0
  time = ''
  for (let rest = nowMs, digit = 0; digit < 10; digit++, rest = Math.floor(rest / 32)) {
    time = alphabet.charAt(rest % 32) + time
  }
}

/** Two bits and twelve digits; drawn for many ids at once. */
const randomPerId = 13
const randomBytes = new Uint8Array(randomPerId * 256)
let usedBytes = randomBytes.length

function takeRandom(): number {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes)
    usedBytes = 0
  }
  usedBytes += randomPerId
  return usedBytes - randomPerId
}

/**
 * The id of something of a run that follows from what it is: work that is repeated, by another worker or
 * on a standby that was promoted, gives it the same. Its time is that of the run.
 */
export function derivedId(prefix: IdPrefix, runId: string, ...what: (string | number)[]): string {
  const digest = hash('sha256', `${prefix} ${runId} ${what.join(' ')}`, 'latin1')
  let suffix = runId.slice(-26, -16)
  suffix += alphabet[14 | (digest.charCodeAt(0) & 1)]
  suffix += alphabet[digest.charCodeAt(1) & 31]
  suffix += alphabet[digest.charCodeAt(2) & 31]
  suffix += alphabet[8 | (digest.charCodeAt(3) & 19)]
  for (let at = 4; at < 16; at++) suffix += alphabet[digest.charCodeAt(at) & 31]
  return `${prefix}_${suffix}`
}

/**
 * A derived id for what every run has, such as the end of its first step: the run's own digits, each moved
 * by a digit that all runs share. Half the time of a digest, and a run makes eight. `what` comes from a short
 * list, which is kept.
 */
export function siblingId(prefix: IdPrefix, runId: string, what: string): string {
  const moves = movesOf.getOrInsertComputed(`${prefix} ${what}`, (name) =>
    hash('sha256', name, 'buffer').subarray(0, movedDigits),
  )
  const suffix = runId.slice(-26)
  let id = `${prefix}_${suffix.slice(0, -movedDigits)}`
  for (let at = 0; at < movedDigits; at++) {
    const digit = alphabet.indexOf(suffix.charAt(26 - movedDigits + at))
    id += alphabet[(digit ^ (moves[at] as number)) & 31]
  }
  return id
}

/** Those of a UUIDv7 that are random. */
const movedDigits = 12
const movesOf = new Map<string, Uint8Array>()

/** The id with this prefix for a UUID that was reserved earlier. */
export function idFromUuid(prefix: IdPrefix, uuid: string): string {
  return TypeID.fromUUID(prefix, uuid).toString()
}

/** The UUID inside an id. */
export function uuidOf(id: string): string {
  return TypeID.fromString(id).toUUID()
}
