import { TypeID, typeidUnboxed } from 'typeid-js'

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

/** Makes a new id, such as `run_01ktbz3v9se0c9x1hm8q5gkxvn`. */
export function newId(prefix: IdPrefix): string {
  return typeidUnboxed(prefix)
}

/** The id with this prefix for a UUID that was reserved earlier. */
export function idFromUuid(prefix: IdPrefix, uuid: string): string {
  return TypeID.fromUUID(prefix, uuid).toString()
}

/** The UUID inside an id. */
export function uuidOf(id: string): string {
  return TypeID.fromString(id).toUUID()
}
