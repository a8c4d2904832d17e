import { hash } from 'node:crypto'
import { TypeID, typeidUnboxed } from 'typeid-js'

/** Prefixes of Muster's ids. An id is a TypeID: a prefix and a time-ordered UUIDv7 in base32. */
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
  | 'bat'
  | 'bud'
  | 'blk'
  | 'sch'
  | 'fir'
  | 'chn'
  | 'ntf'
  | 'cmt'
  | 'alr'
  | 'hook'
  | 'hdl'
  | 'mbx'
  | 'mbm'
  | 'view'
  | 'grn'
  | 'clt'
  | 'thr'
  | 'msg'
  | 'sum'

/** A new id, such as `run_01ktbz3v9se0c9x1hm8q5gkxvn`. The ids that a process makes are in ascending order. */
export function newId(prefix: IdPrefix): string {
  return typeidUnboxed(prefix)
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/**
 * An id derived from a run and a description of a part of it, so that repeated work, by another
 * worker or on a promoted standby, gets the same id again. Its time is the run's. No library has
 * this.
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
 * A derived id for a part that every run has, such as the end of its first step: the run's own digits, each changed by
 * a digit that depends on `what` alone. Takes half the time of a digest, and a run makes eight. The values of `what`
 * are few, and cached.
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

/** Digits behind the time of a UUIDv7. */
const movedDigits = 12
const movesOf = new Map<string, Uint8Array>()

/** The id with this prefix for a UUID that was reserved earlier. */
export function idFromUuid(prefix: IdPrefix, uuid: string): string {
  return TypeID.fromUUID(prefix, uuid).toString()
}

/** The id with this prefix for the 16 bytes of `bytesOf`. */
export function idFromBytes(prefix: IdPrefix, bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return idFromUuid(prefix, hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'))
}

/** The UUID inside an id, as bytes: for ids inside of a token. */
export function bytesOf(id: string): Buffer {
  return Buffer.from(uuidOf(id).replaceAll('-', ''), 'hex')
}

/** The UUID inside an id. */
export function uuidOf(id: string): string {
  return TypeID.fromString(id).toUUID()
}
