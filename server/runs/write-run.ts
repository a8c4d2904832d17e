import type { FastifyReply } from 'fastify'
import { refTo } from '../http/schema.ts'
import { writeParts } from '../http/traffic/text-parts.ts'
import type { RunWithSteps } from './schema.ts'
import { Step } from './step-schema.ts'

/** The text of `{data: run}`, step by step: each has the outputs of all before it in its input. */
export function writeRun(reply: FastifyReply, run: RunWithSteps): Promise<Buffer[]> {
  return writeParts(texts(reply, run))
}

const step: Record<string, unknown> = { ...refTo(Step) }
/** The steps are the last field. */
const end = ']}}'

function* texts(reply: FastifyReply, run: RunWithSteps): Generator<string> {
  const whole = reply.serialize({ data: { ...run, steps: [] } }) as string
  if (!whole.endsWith(`"steps":[${end}`))
    throw new Error('The steps are not the last field of a run')
  yield whole.slice(0, -end.length)
  for (const [place, one] of run.steps.entries()) {
    yield `${place === 0 ? '' : ','}${reply.serializeInput(one, step)}`
  }
  yield end
}
