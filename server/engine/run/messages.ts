import { storable } from '../../safe-text.ts'

/** Limit on all tool results of one run: about a million tokens. */
export const maxRunOutputBytes = 4 * 1024 * 1024
const allCollected = `the tools of this run have answered ${maxRunOutputBytes} bytes, the maximum`

/** Results that agents get in place of a tool's own. */
export const messages = {
  collectedAll: `This call was not made: ${allCollected}. Go on with what is there.`,
  inFlight: 'The run ended while this call was in flight.',
  ended: 'The run ended before this call was made; it was not done.',
  refused:
    'This action was refused and not done: it needs the approval of a person, and this workflow asks nobody. Go on without it.',
  blocked: (reason: string | null): string =>
    `This action was refused and not done: a rule blocks it${reason === null ? '' : ` (${reason})`}. Go on without it.`,
  capabilityRemoved: (tool: string): string =>
    `This action was refused and not done: ${tool} was removed from the agent's capabilities after it was approved. Go on without it.`,
  tooManyMails: (limit: number): string =>
    `This email was not sent: the account's policies allow its agents ${limit} emails a day (UTC), and they are used up. Go on without it.`,
  unknown: (reason: string | null): string => `${unknownOutcome}${inBrackets(reason)}`,
  expired: 'Nobody answered in time. This action was not done.',
  noAnswer: 'Nobody answered in time. Go on without an answer.',
  notRepeated: (reason: string | undefined, unknownReason: string | null): string =>
    `It is unknown whether this action was done${inBrackets(unknownReason)}, and a person decided not to repeat it.${because(reason)}`,
  rejected: (reason: string | undefined): string =>
    `A person rejected this action; it was not done.${because(reason)}`,
  edited: (input: unknown, output: string): string =>
    `A person changed the arguments to ${JSON.stringify(input)}.\n\n${output}`,
}

/** The message without its reason. */
export const unknownOutcome =
  'It is unknown whether this action was done. It is not repeated; go on, and say so where it matters.'

function inBrackets(reason: string | null): string {
  return reason === null ? '' : ` (${reason})`
}

function because(reason: string | undefined): string {
  return reason === undefined || reason.trim() === '' ? '' : ` Reason: ${reason}`
}

/**
 * Text from a tool or a model for the ledger: without characters that PostgreSQL rejects, and
 * within the limits of one result and of the run.
 */
export function boundedOutput(text: string, left = Infinity): string {
  const clean = storable(text)
  const bytes = Buffer.byteLength(clean)
  // Even when the run's limit is used up, the beginning of a result is kept.
  const most = Math.min(maxOutputBytes, Math.max(left, 1024))
  if (bytes <= most) return clean
  // A cut inside a character leaves a replacement character, which is dropped.
  const kept = Buffer.from(clean)
    .subarray(0, most)
    .toString()
    .replace(/\uFFFD$/, '')
  const why = left < maxOutputBytes ? `; ${allCollected}` : ''
  return `${kept}\n\n[cut: the first ${most} of ${bytes} bytes${why}]`
}

const maxOutputBytes = 64 * 1024
