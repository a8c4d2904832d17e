import { Option } from 'commander'
import type { CreateWebhook } from '../sdk/index.ts'

/** Types that an endpoint can subscribe to. */
export const eventTypes: CreateWebhook['events'] = [
  'run.started',
  'run.completed',
  'run.failed',
  'run.waiting_input',
  'run.cancelled',
]

export function eventOption(): Option {
  return new Option('--event <type...>', 'event types, one or more').choices(eventTypes)
}
