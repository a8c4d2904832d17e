/** Exit codes that scripts can rely on, as documented in `docs/cli.md`. */
export const exitCodes = {
  ok: 0,
  /** Unexpected failure, or an error response of the service. */
  error: 1,
  /** Wrong usage, input or configuration. */
  usage: 2,
  runFailed: 3,
  /** A failed attempt to deliver a webhook event. */
  deliveryFailed: 3,
  /** The credentials of a connector were rejected, or its tools have changed. */
  connectorFailed: 3,
  /** A fine-tune that failed or was cancelled. */
  trainingFailed: 3,
  runWaits: 4,
  notFound: 5,
  notAuthorised: 6,
  /** With `--strict`: the run completed, but has warnings. */
  runWarned: 6,
  unreachable: 7,
  interrupted: 130,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export const exitCodesHelp = `
Exit codes:
  0  success                     4  the run waits for a human
  1  the service failed          5  not found
  2  wrong usage or settings     6  no key, or the key may not do this; with
                                    --strict, a run that has warnings
  3  a run, test or tune failed   7  the service cannot be reached
  130  stopped with Ctrl-C`
