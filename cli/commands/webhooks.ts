import { Option } from 'commander'
import type {
  CreateWebhook,
  DeliveryAttempt,
  Muster,
  UpdateWebhook,
  WebhookDelivery,
  WebhookEndpoint,
  WebhooksDeliveriesQuery,
} from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { duration, shortTime } from '../format.ts'
import { findWorkflow } from '../named.ts'
import { given, limit, take, type Call, type Limited, type Verbs } from '../noun.ts'
import { clean, fields, oneLine, table } from '../output.ts'
import { shell } from '../shell.ts'
import { followDelivery } from '../follow-delivery.ts'
import { eventOption } from '../webhook-events.ts'
import { addListen } from './webhooks-listen.ts'

interface CreateOptions {
  to: string
  event: CreateWebhook['events']
  workflow?: string
  description?: string
}

interface UpdateOptions extends Partial<CreateOptions> {
  allWorkflows?: true
  activate?: true
  pause?: true
}

export function addWebhooks(program: Verbs): void {
  const about = 'send events of runs to other systems: endpoints, deliveries, a receiver for trying'
  const webhooks = program.noun('webhooks', about)
  addEndpoints(webhooks)
  addDeliveries(webhooks)
  addListen(webhooks)
}

function addEndpoints({ verb }: Verbs): void {
  verb(
    'list',
    'list the endpoints, newest first',
    async ({ muster }) => Array.fromAsync(await muster.webhooks.list()),
    (all) =>
      table(all, ['id', 'status', 'failures', 'last answer', 'events', 'workflow', 'url'], {
        status: statusOf,
        failures: (endpoint) => endpoint.consecutive_failures,
        'last answer': lastAnswer,
        events: ({ events }) => events.map((event) => event.replace('run.', '')),
        workflow: (endpoint) => endpoint.workflow_id ?? 'all',
      }),
  )
  verb(
    'create',
    'create an endpoint; its signing secret is shown once',
    async ({ muster, options: { to, event, workflow, description } }: Call<CreateOptions>) => {
      const workflow_id = await workflowId(muster, 'create webhook', workflow)
      const body = { url: to, events: event, ...given({ workflow_id, description }) }
      return muster.webhooks.create(body)
    },
    describe,
  )
    .requiredOption(
      '--to <url>',
      'where events are sent: an https URL on a public host, or http in MUSTER_ALLOWED_NETWORKS',
    )
    .addOption(eventOption().makeOptionMandatory())
    .option('--workflow <workflow>', 'only runs of this workflow, by id or exact name')
    .option('--description <text>', 'label, up to 200 characters')
    .addHelpText('after', addressHelp)
  verb(
    'show <endpoint>',
    'show an endpoint',
    ({ muster }, id = '') => muster.webhooks.retrieve(id),
    describe,
  )
  const all = new Option('--all-workflows', 'the runs of all workflows again')
  const pause = new Option('--pause', 'deliver nothing until --activate')
  verb(
    'update <endpoint>',
    'change an endpoint; what is not given stays as it is',
    async ({ muster, options }: Call<UpdateOptions>, id = '') => {
      if (Object.keys(options).length > 0) {
        return muster.webhooks.update(id, await toUpdate(muster, options))
      }
      throw usageError(
        'Cannot update webhook: nothing to change; give --to, --event, --workflow, --all-workflows, --description, --activate or --pause',
      )
    },
    describe,
  )
    .option('--to <url>', 'where events are sent')
    .addOption(eventOption())
    .option('--workflow <workflow>', 'only runs of this workflow, by id or exact name')
    .addOption(all.conflicts('workflow'))
    .option('--description <text>', 'label; empty for none')
    .option('--activate', 'deliver again; its failures are forgotten, pending deliveries continue')
    .addOption(pause.conflicts('activate'))
    .addHelpText('after', addressHelp)
  verb(
    'delete <endpoint>',
    'delete an endpoint with its delivery history; deliveries stop at once',
    ({ muster }, id = '') => muster.webhooks.delete(id),
    ({ id }) => `Deleted ${id}.`,
  )
  verb(
    'rotate-secret <endpoint>',
    'create a new signing secret, shown once; for 24 hours the old one signs too',
    async ({ muster, out }, id = '') => {
      const endpoint = await muster.webhooks.rotate_secret(id)
      out.note('For 24 hours the old secret signs as well: change the receiver within that time.')
      return endpoint
    },
    describe,
  )
}

type DeliveryOptions = Limited & Pick<WebhooksDeliveriesQuery, 'status'>

function addDeliveries({ verb }: Verbs): void {
  const statuses = ['pending', 'succeeded', 'failed']
  verb(
    'deliveries <endpoint>',
    'list the deliveries of an endpoint with their attempts, newest first',
    ({ muster, options }: Call<DeliveryOptions>, id = '') => {
      const status = given({ status: options.status })
      return take(options, (page) => muster.webhooks.deliveries(id, { ...page, ...status }))
    },
    (all) =>
      table(all, ['id', 'event', 'status', 'created_at', 'answers', 'next', 'run_id', 'why'], {
        event: (delivery) => delivery.event_type,
        answers: ({ attempts }) => answers(attempts),
        next: ({ next_attempt_at: at }) => at && shortTime(at),
        why: ({ attempts }) => attempts.at(-1)?.error ?? '',
      }),
  )
    .addOption(new Option('--status <status>', 'only deliveries in this status').choices(statuses))
    .option(...limit(50))
  verb(
    'delivery <endpoint> <delivery>',
    'show a delivery with the body that was sent',
    ({ muster }, id = '', deliveryId = '') => muster.webhooks.delivery(id, deliveryId),
    (delivery) => `${describeDelivery(delivery)}\n\n${clean(delivery.body)}`,
  )
  verb('test <endpoint>', 'send a test event and show the answer', (call: Attempt, id = '') =>
    showAttempt(call, id, () => call.muster.webhooks.test(id)),
  ).option('--no-wait', 'do not wait for the attempt')
  verb(
    'redeliver <endpoint> <delivery>',
    'send an event again, at once, and show the answer',
    (call: Attempt, id = '', deliveryId = '') =>
      showAttempt(call, id, () => call.muster.webhooks.redeliver(id, deliveryId)),
  ).option('--no-wait', 'do not wait for the attempt')
}

type Attempt = Call<{ wait: boolean }>

/** Asks for an attempt and waits for it; one that fails ends the command with 3. */
async function showAttempt(
  { muster, options, out }: Attempt,
  endpointId: string,
  request: () => Promise<WebhookDelivery>,
): Promise<void> {
  if (!options.wait) {
    const delivery = await request()
    out.result(delivery, () => delivery.id)
    return
  }
  const attempted = await followDelivery(muster, endpointId, request)
  out.result(attempted, () => describeDelivery(attempted))
  if (attempted.attempts.at(-1)?.error !== null) shell().exitCode = exitCodes.deliveryFailed
}

async function toUpdate(
  muster: Muster,
  { to, event, workflow, allWorkflows, description, activate, pause }: UpdateOptions,
): Promise<UpdateWebhook> {
  return given({
    url: to,
    events: event,
    workflow_id: allWorkflows ? null : await workflowId(muster, 'update webhook', workflow),
    description: description === '' ? null : description,
    active: activate ?? (pause && false),
  })
}

async function workflowId(
  muster: Muster,
  action: string,
  nameOrId: string | undefined,
): Promise<string | undefined> {
  return nameOrId === undefined ? undefined : (await findWorkflow(muster, action, nameOrId)).id
}

const addressHelp = '\n--to is where events go; --url is the address of Muster, as everywhere.'

/** An endpoint, with its secret where it is shown this once. */
function describe(endpoint: WebhookEndpoint & { secret?: string }): string {
  const first = ['id', 'url', 'description', 'events', 'workflow', 'status'] as const
  return fields(endpoint, [...first, 'disabled', 'failures', 'last answer', 'secret'], {
    workflow: ({ workflow_id: id }) => id ?? 'all',
    status: statusOf,
    disabled: ({ disabled_at: at, disabled_reason: why }) => at && `${shortTime(at)}: ${why ?? ''}`,
    failures: ({ consecutive_failures: count }) => `${count} events in a row`,
    'last answer': lastAnswer,
    secret: ({ secret }) => secret && `${secret}  (shown this once)`,
  })
}

/** A delivery with its last attempt. */
function describeDelivery(delivery: WebhookDelivery): string {
  const attempt = delivery.attempts.at(-1)
  const body = attempt?.response_body
  return fields(
    delivery,
    ['delivery', 'event', 'status', 'answer', 'why', 'body', 'next_attempt_at'],
    {
      delivery: ({ id }) => id,
      event: ({ event_type: type, event_id: id }) => `${type}  ${id}`,
      answer: () =>
        attempt && `${answer(attempt.response_status)} in ${duration(attempt.duration_ms)}`,
      why: () => attempt?.error,
      body: () => (body ? oneLine(body, 200) : undefined),
    },
  )
}

const shownAnswers = 8

/** `500, 500, 204`, the latest ones. */
function answers(attempts: DeliveryAttempt[]): string {
  if (attempts.length === 0) return '–'
  const latest = attempts.slice(-shownAnswers).map((attempt) => answer(attempt.response_status))
  return `${attempts.length > shownAnswers ? '… ' : ''}${latest.join(', ')}`
}

function answer(status: number): string {
  return status === 0 ? 'none' : String(status)
}

function statusOf(endpoint: WebhookEndpoint): string {
  const { active, disabled_at: disabledAt } = endpoint
  if (active) return isFailing(endpoint) ? 'failing' : 'active'
  return disabledAt === null ? 'paused' : 'disabled'
}

/** The last attempt failed, or whole events have since the last success. */
function isFailing({
  consecutive_failures: failures,
  last_delivery_status: status,
}: WebhookEndpoint): boolean {
  return failures > 0 || (status !== null && (status < 200 || status > 299))
}

function lastAnswer(endpoint: WebhookEndpoint): string {
  const { last_delivery_at: at, last_delivery_status: status } = endpoint
  return at === null || status === null ? '–' : `${answer(status)} at ${shortTime(at)}`
}
