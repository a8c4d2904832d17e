import { InvalidArgumentError, Option } from 'commander'
import type { Policies, UpdatePolicies } from '../../sdk/index.ts'
import { usageError } from '../failure.ts'
import { given, type Call, type Verbs } from '../noun.ts'
import { fields } from '../output.ts'

interface SetOptions {
  approvalsFloor?: Policies['approvals_floor']
  fourEyes?: boolean
  requirePendingId?: boolean
  webFetchHosts?: string
  sensitiveActions?: string
  mailsADay?: string
}

export function addPolicies(program: Verbs): void {
  const about = 'show and set what holds for all workflows (needs an admin key)'
  const { verb } = program.noun('policies', about)
  verb('show', 'show the policies', ({ muster }) => muster.policies.retrieve(), describe)
  const floor = new Option('--approvals-floor <which>', 'actions that wait at least')
  verb(
    'set',
    'set the given policies, at once',
    ({ muster, options }: Call<SetOptions>) => {
      const body: UpdatePolicies = given({
        approvals_floor: options.approvalsFloor,
        four_eyes: options.fourEyes,
        require_pending_id: options.requirePendingId,
        web_fetch_hosts: options.webFetchHosts === 'any' ? null : toList(options.webFetchHosts),
        sensitive_actions: toList(options.sensitiveActions),
        mails_a_day: toNumber(options.mailsADay),
      })
      if (Object.keys(body).length === 0) {
        throw usageError('Cannot set policies: nothing to change; see muster policies set --help')
      }
      return muster.policies.update(body)
    },
    describe,
  )
    .addOption(floor.choices(['none', 'sensitive', 'all']))
    .option('--four-eyes <on|off>', 'whoever triggered a run may not approve in it', toSwitch)
    .option('--require-pending-id <on|off>', 'an answer must name its request', toSwitch)
    .option('--web-fetch-hosts <hosts>', 'hosts for web.fetch, with commas; or any, or none')
    .option('--sensitive-actions <actions>', 'always sensitive, with commas; or none')
    .option('--mails-a-day <number>', 'most emails of agents in a day (UTC); or any')
}

function toSwitch(text: string): boolean {
  if (text !== 'on' && text !== 'off') throw new InvalidArgumentError('Expected on or off.')
  return text === 'on'
}

function toList(text: string | undefined): string[] | undefined {
  return text === 'none' ? [] : text?.split(',').map((part) => part.trim())
}

function toNumber(text: string | undefined): number | null | undefined {
  if (text === undefined) return undefined
  if (text === 'any') return null
  const number = Number(text)
  if (text.trim() !== '' && Number.isInteger(number)) return number
  throw usageError(`Cannot set policies: --mails-a-day is ${text}, expected a number or any`)
}

function describe(policies: Policies): string {
  const onOff = (value: boolean): string => (value ? 'on' : 'off')
  const list = (words: string[]): string => words.join(', ') || 'none'
  const names = ['approvals_floor', 'four_eyes', 'require_pending_id', 'web.fetch hosts'] as const
  return fields(
    policies,
    [...names, 'sensitive_actions', 'mails_a_day', 'updated_at'],
    {
      four_eyes: (one) => onOff(one.four_eyes),
      require_pending_id: (one) => onOff(one.require_pending_id),
      'web.fetch hosts': ({ web_fetch_hosts: hosts }) => (hosts === null ? 'any' : list(hosts)),
      sensitive_actions: (one) => list(one.sensitive_actions),
      mails_a_day: (one) => one.mails_a_day ?? 'no limit',
    },
    'never',
  )
}
