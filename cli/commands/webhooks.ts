import { Option, type Command } from 'commander'
import type {
  CreateWebhook,
  Muster,
  UpdateWebhook,
  WebhookDelivery,
  WebhookEndpoint,
  WebhooksDeliveriesQuery,
} from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { limited, take, type Limited } from '../limit.ts'
import { findWorkflow } from '../named.ts'
import { addNoun, given, type AddVerb, type Call } from '../noun.ts'
import type { Output } from '../output.ts'
import { shell } from '../shell.ts'
import {
  deliveryTable,
  describeDelivery,
  describeEndpoint,
  endpointTable,
} from '../webhooks/describe.ts'
import { followDelivery } from '../webhooks/follow-delivery.ts'
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

export function addWebhooks(program: Command, output: () => Output): void {
  const about = 'send events of runs to other systems: endpoints, deliveries, a receiver for trying'
  const { group, verb } = addNoun(program, output, 'webhooks', about)
  addEndpoints(verb)
  addDeliveries(verb)
  addListen(group, output)
}

function addEndpoints(verb: AddVerb): void {
  verb(
    'list',
    'list the endpoints, newest first',
    async ({ muster }) => Array.fromAsync(await muster.webhooks.list()),
    endpointTable,
  )
  verb(
    'create',
    'create an endpoint; its signing secret is shown once',
    async ({ muster, options: { to, event, workflow, description } }: Call<CreateOptions>) => {
      const workflow_id = await workflowId(muster, 'create webhook', workflow)
      return muster.webhooks.create({
        url: to,
        events: event,
        ...given({ workflow_id, description }),
      })
    },
    withSecret,
  )
    .requiredOption('--to <url>', 'where events are sent: an https URL on a public host')
    .addOption(eventOption().makeOptionMandatory())
    .option('--workflow <workflow>', 'only runs of this workflow, by id or exact name')
    .option('--description <text>', 'label, up to 200 characters')
    .addHelpText('after', addressHelp)
  verb(
    'show <endpoint>',
    'show an endpoint',
    ({ muster }, id = '') => muster.webhooks.retrieve(id),
    (endpoint) => describeEndpoint(endpoint),
  )
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
    (endpoint) => describeEndpoint(endpoint),
  )
    .option('--to <url>', 'where events are sent')
    .addOption(eventOption())
    .option('--workflow <workflow>', 'only runs of this workflow, by id or exact name')
    .addOption(
      new Option('--all-workflows', 'the runs of all workflows again').conflicts('workflow'),
    )
    .option('--description <text>', 'label; empty for none')
    .option('--activate', 'deliver again; its failures are forgotten, pending deliveries continue')
    .addOption(new Option('--pause', 'deliver nothing until --activate').conflicts('activate'))
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
    withSecret,
  )
}

function addDeliveries(verb: AddVerb): void {
  limited(
    verb(
      'deliveries <endpoint>',
      'list the deliveries of an endpoint with their attempts, newest first',
      ({ muster, options }: Call<Limited & Pick<WebhooksDeliveriesQuery, 'status'>>, id = '') => {
        const status = given({ status: options.status })
        return take(options, (page) => muster.webhooks.deliveries(id, { ...page, ...status }))
      },
      deliveryTable,
    ).addOption(
      new Option('--status <status>', 'only deliveries in this status').choices([
        'pending',
        'succeeded',
        'failed',
      ]),
    ),
    50,
  )
  verb(
    'test <endpoint>',
    'send a test event and show the answer',
    async (call: Call<WaitOption>, id = '') =>
      showAttempt(call, id, () => call.muster.webhooks.test(id)),
  ).option('--no-wait', 'do not wait for the attempt')
  verb(
    'redeliver <endpoint> <delivery>',
    'send an event again, at once, and show the answer',
    async (call: Call<WaitOption>, id = '', deliveryId = '') =>
      showAttempt(call, id, () => call.muster.webhooks.redeliver(id, deliveryId)),
  ).option('--no-wait', 'do not wait for the attempt')
}

interface WaitOption {
  wait: boolean
}

/** Asks for an attempt and waits for it; one that fails ends the command with 3. */
async function showAttempt(
  { muster, options, out }: Call<WaitOption>,
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

function eventOption(): Option {
  const types = ['run.started', 'run.completed', 'run.failed', 'run.waiting_input']
  return new Option('--event <type...>', 'event types, one or more').choices(types)
}

const addressHelp = '\n--to is where events go; --url is the address of Muster, as everywhere.'

function withSecret(endpoint: WebhookEndpoint & { secret: string }): string {
  return describeEndpoint(endpoint, `${endpoint.secret}  (shown this once)`)
}
