import { CommanderError } from 'commander'
import { MusterError } from '../sdk/index.ts'
import { exitCodes, type ExitCode } from './exit-codes.ts'

/** An error found by the CLI itself; people see only its message. */
export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  readonly code: string

  constructor(exitCode: ExitCode, code: string, message: string, cause?: unknown) {
    super(message, { cause })
    this.exitCode = exitCode
    this.code = code
  }
}

export function usageError(message: string, code = 'wrong_usage'): CliError {
  return new CliError(exitCodes.usage, code, message)
}

/** For Ctrl-C; says what continues without the command. */
export function interrupted(message: string): CliError {
  return new CliError(exitCodes.interrupted, 'interrupted', message)
}

/** How a failure ends the command. */
export interface Failure {
  exitCode: number
  /** The body for `--json`. */
  error: {
    type: string
    code: string
    message: string
    param?: string | undefined
    line?: number | undefined
    request_id?: string | undefined
  }
  /** Set for defects of Muster itself. */
  stack?: string | undefined
}

export function toFailure(error: unknown): Failure {
  if (error instanceof CliError) return failure(error.exitCode, 'cli', error.code, error.message)
  if (error instanceof MusterError) return serviceFailure(error)
  if (error instanceof CommanderError) {
    return failure(exitCodes.usage, 'cli', 'wrong_usage', error.message.replace(/^error: /, ''))
  }
  if (!(error instanceof Error)) return failure(exitCodes.error, 'cli', 'internal', String(error))
  // Recognized by name, because the CLI does not import the server here.
  if (error.name === 'ConfigError') {
    return failure(exitCodes.usage, 'cli', 'wrong_configuration', error.message)
  }
  if (error.name === 'DatabaseUnreachable') {
    return failure(exitCodes.error, 'cli', 'database_unavailable', error.message)
  }
  // Only for files that no other code has already named.
  const { code = '', path } = error as NodeJS.ErrnoException
  if (path !== undefined && ['EACCES', 'EROFS'].includes(code)) {
    const message = `Cannot start: ${error.message}; set MUSTER_DATA_DIR to a folder that can be written`
    return failure(exitCodes.usage, 'cli', 'wrong_configuration', message)
  }
  return { ...failure(exitCodes.error, 'cli', 'internal', error.message), stack: error.stack }
}

function failure(exitCode: number, type: string, code: string, message: string): Failure {
  return { exitCode, error: { type, code, message } }
}

function serviceFailure(error: MusterError): Failure {
  const { type, code, param, line, requestId } = error
  const isFault = type === 'internal' && requestId !== undefined
  const message = isFault ? `${error.message} (request ${requestId})` : error.message
  const body = { type, code, message, param, line, request_id: requestId }
  return { exitCode: exitCodeOf(error), error: body }
}

function exitCodeOf({ status, type }: MusterError): number {
  // Also if a proxy answers in place of a service that it does not reach.
  const isProxy = type === 'unexpected_answer' && [502, 503, 504].includes(status)
  if (status === 0 || isProxy) return exitCodes.unreachable
  if (status === 401 || status === 403) return exitCodes.notAuthorised
  if (status === 404 && type === 'not_found') return exitCodes.notFound
  return [400, 413, 422].includes(status) ? exitCodes.usage : exitCodes.error
}
