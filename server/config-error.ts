/**
 * An invalid setting, which prevents the start. The one-line message names it, its value and what
 * is expected.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** Appends the message of `cause`, if the system gave a reason. */
export function badSetting(
  name: string,
  shown: string,
  expected: string,
  cause?: unknown,
): ConfigError {
  const why = cause instanceof Error ? ` (${cause.message})` : ''
  return new ConfigError(`Cannot start: ${name} is ${shown}, expected ${expected}${why}`, { cause })
}
