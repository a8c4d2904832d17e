import type { RunWithSteps } from '../../../sdk/generated.ts'

/** A failure in plain words, and what to do next. */
export function explainFailure({ error_code: code, steps }: RunWithSteps): {
  what: string
  next: string
} {
  const step = steps.find(({ error }) => error !== null)
  const who = step === undefined ? 'A step' : `The step of ${step.role}`
  switch (code) {
    case 'step_failed':
      return {
        what: `${who} could not be finished.`,
        next:
          'Read the message below. A retry keeps the finished steps and repeats this one; first check the calls ' +
          'that it had made.',
      }
    case 'agent_paused':
      return {
        what: `${who} belongs to an agent that is paused.`,
        next: 'Set the agent to active, then retry.',
      }
    case 'wait_expired':
      return {
        what: 'No one answered in time.',
        next: 'Retry, and answer when it asks again. The workflow sets how long a run waits.',
      }
    case 'cancelled':
      return {
        what: 'This run was cancelled.',
        next: 'A retry continues after the finished steps.',
      }
    case 'budget_exceeded':
      return {
        what: 'It reached one of the limits of its workflow.',
        next: 'Raise the limit on the workflow, then retry; or give it less to do.',
      }
    case 'output_invalid':
      return {
        what: `${who} did not get an answer that fits its schema.`,
        next: 'Its turns show what the model wrote and what was wrong with it. Simplify the schema, say more in the instructions or take a stronger model; then retry.',
      }
    default:
      return {
        what: 'Muster itself failed here.',
        next: 'Retry. If it happens again, the log of the service says more about this run.',
      }
  }
}
