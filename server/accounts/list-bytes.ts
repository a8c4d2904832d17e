import { DomainError } from '../errors.ts'

/** Most bytes of JSON that a list without pages may have: it is in memory whole, several times over. */
export const maxListBytes = 8 * 1024 * 1024

/** Refuses a change after which the account's list of `what` would be larger. */
export function checkListBytes(action: string, what: string, bytes: number): void {
  if (bytes <= maxListBytes) return
  throw new DomainError(
    'too_many_bytes',
    `Cannot ${action}: the account's ${what} would have ${bytes} bytes of JSON together, at most ${maxListBytes}`,
  )
}

/** Whether a change makes a resource larger; one that does not is never refused. */
export function isLarger(changed: object, current: object): boolean {
  return Buffer.byteLength(JSON.stringify(changed)) > Buffer.byteLength(JSON.stringify(current))
}
