/** A setting that stops the start. The one-line message names it, its value and what is expected. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/** The message of `cause` is shown as well, where the system said why. */
export function badSetting(
  name: string,
  shown: string,
  expected: string,
  cause?: unknown,
): ConfigError {
  const why = cause instanceof Error ? ` (${cause.message})` : ''
  return new ConfigError(`Cannot start: ${name} is ${shown}, expected ${expected}${why}`, { cause })
}
