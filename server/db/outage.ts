import type { Logger } from 'pino'

/**
 * Which failures of a statement are the database's and not the request's: the same request may succeed
 * later. Conditions by SQLSTATE, the five characters of PostgreSQL, or by the code of the system.
 */
const outages: [RegExp, string][] = [
  // Ended because it, or its wait for a lock, took too long; a dead connection.
  [/^(57014|55P03|25P03|ETIMEDOUT)$/, 'did not answer in time'],
  [/^25006$/, 'takes no writes now'],
  [/^53100$/, 'has no space left'],
  [/^53300$/, 'has no connection left'],
  [/^40(001|P01)$/, 'could not order changes that came together'],
  [/^25P0[12]$/, 'lost the transaction'],
  // Connections refused or cut; a server that starts, stops, is short of something, reads no file or
  // refuses to log in.
  [/^(08|28|3D|53|57P|58)/, 'is unreachable'],
  [/^(ECONN|EPIPE$|EHOST|ENET|ENOENT$|ENOTFOUND$|EAI_AGAIN$)/, 'is unreachable'],
]

const connectionLost =
  /timeout exceeded when trying to connect|Connection terminated|not queryable|connection has been discarded/

/** What the database does wrong; undefined for any other error. */
export function outageOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  const known = outages.find(([pattern]) => pattern.test(code))
  if (known !== undefined) return known[1]
  return connectionLost.test(error.message) ? 'is unreachable' : undefined
}

/** The SQLSTATE of a failure, or the code of the system; empty where it has none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** A failure in the background: in a line where the database is to blame, with its stack else. */
export function logFailure(
  log: Logger,
  error: unknown,
  message: string,
  facts: Record<string, unknown> = {},
): void {
  if (!(error instanceof Error) || outageOf(error) === undefined) {
    log.error({ ...facts, err: error }, message)
  } else {
    log.warn({ ...facts, why: error.message, code: codeOf(error) }, message)
  }
}
