import { Option, type Command } from 'commander'
import type {
  CreateWebhook,
  Muster,
  UpdateWebhook,
  WebhookDelivery,
  WebhooksDeliveriesQuery,
} from '../../sdk/index.ts'
import { connect } from '../connection.ts'
import { exitCodes } from '../exit-codes.ts'
import { usageError } from '../failure.ts'
import { pageSize, take, toLimit } from '../limit.ts'
import type { Output } from '../output.ts'
import {
  deliveryTable,
  describeDelivery,
  describeEndpoint,
  endpointTable,
} from '../webhooks/describe.ts'
import { followDelivery } from '../webhooks/follow-delivery.ts'
import { findWorkflow } from '../workflows/find.ts'
import { addListen } from './webhooks-listen.ts'
import { shell } from '../shell.ts'

const eventTypes = ['run.started', 'run.completed', 'run.failed', 'run.waiting_input']

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
  const webhooks = program
    .command('webhooks')
    .description('tell other systems about runs: endpoints, deliveries, a receiver for trying')
  addEndpoints(webhooks, output)
  addDeliveries(webhooks, output)
  addListen(webhooks, output)
}

function addEndpoints(webhooks: Command, output: () => Output): void {
  webhooks
    .command('list')
    .description('list the endpoints, newest first')
    .action(async (_options: object, command: Command) => {
      const muster = await connect(command)
      const all = await Array.fromAsync(await muster.webhooks.list())
      output().result(all, () => endpointTable(all))
    })

  webhooks
    .command('create')
    .description('make an endpoint; its signing secret is shown once')
    .requiredOption('--to <url>', 'where events are sent: an https URL on a public host')
    .addOption(eventOption().makeOptionMandatory())
    .option('--workflow <workflow>', 'only runs of this workflow, by id or exact name')
    .option('--description <text>', 'label, at most 200 characters')
    .addHelpText('after', addressHelp)
    .action(async ({ to, event, workflow, description }: CreateOptions, command: Command) => {
      const muster = await connect(command)
      const made = await muster.webhooks.create({
        url: to,
        events: event,
        ...(workflow === undefined
          ? {}
          : { workflow_id: await workflowId(muster, 'create webhook', workflow) }),
        ...(description === undefined ? {} : { description }),
      })
      output().result(made, () => describeEndpoint(made, [secretField(made.secret)]))
    })

  webhooks
    .command('show')
    .description('show an endpoint')
    .argument('<endpoint>', 'id of the endpoint')
    .action(async (id: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const endpoint = await muster.webhooks.retrieve(id)
      output().result(endpoint, () => describeEndpoint(endpoint))
    })

  webhooks
    .command('update')
    .description('change an endpoint; what is not given stays as it is')
    .argument('<endpoint>', 'id of the endpoint')
    .option('--to <url>', 'where events are sent')
    .addOption(eventOption())
    .option('--workflow <workflow>', 'only runs of this workflow, by id or exact name')
    .addOption(
      new Option('--all-workflows', 'the runs of all workflows again').conflicts('workflow'),
    )
    .option('--description <text>', 'label; empty for none')
    .option('--activate', 'deliver again; its failures are forgotten, what is pending goes on')
    .addOption(new Option('--pause', 'deliver nothing until --activate').conflicts('activate'))
    .addHelpText('after', addressHelp)
    .action(async (id: string, options: UpdateOptions, command: Command) => {
      if (Object.keys(options).length === 0) {
        throw usageError(
          'Cannot update webhook: nothing to change; give --to, --event, --workflow, --all-workflows, --description, --activate or --pause',
        )
      }
      const muster = await connect(command)
      const endpoint = await muster.webhooks.update(id, await toUpdate(muster, options))
      output().result(endpoint, () => describeEndpoint(endpoint))
    })

  webhooks
    .command('delete')
    .description('delete an endpoint with its delivery history; deliveries stop at once')
    .argument('<endpoint>', 'id of the endpoint')
    .action(async (id: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const deleted = await muster.webhooks.delete(id)
      output().result(deleted, () => `Deleted ${deleted.id}.`)
    })

  webhooks
    .command('rotate-secret')
    .description('make a new signing secret, shown once; for 24 hours the old one signs too')
    .argument('<endpoint>', 'id of the endpoint')
    .action(async (id: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const out = output()
      const endpoint = await muster.webhooks.rotate_secret(id)
      out.result(endpoint, () => describeEndpoint(endpoint, [secretField(endpoint.secret)]))
      out.note('For 24 hours the old secret signs as well: change the receiver within these.')
    })
}

function addDeliveries(webhooks: Command, output: () => Output): void {
  webhooks
    .command('deliveries')
    .description('list the deliveries of an endpoint with their attempts, newest first')
    .argument('<endpoint>', 'id of the endpoint')
    .addOption(
      new Option('--status <status>', 'only deliveries in this status').choices([
        'pending',
        'succeeded',
        'failed',
      ]),
    )
    .option('--limit <number>', 'at most so many, 1 to 1000', toLimit, 50)
    .action(
      async (
        id: string,
        { status, limit }: { status?: WebhooksDeliveriesQuery['status']; limit: number },
        command: Command,
      ) => {
        const muster = await connect(command)
        const page = await muster.webhooks.deliveries(id, {
          limit: pageSize(limit),
          ...(status === undefined ? {} : { status }),
        })
        const found = await take(page, limit)
        output().result(found, () => deliveryTable(found))
      },
    )

  webhooks
    .command('test')
    .description('send a test event and show what came of it')
    .argument('<endpoint>', 'id of the endpoint')
    .option('--no-wait', 'do not wait for the attempt')
    .action(async (id: string, { wait }: { wait: boolean }, command: Command) => {
      const muster = await connect(command)
      await showAttempt(muster, id, await muster.webhooks.test(id), wait, output())
    })

  webhooks
    .command('redeliver')
    .description('send an event again, at once, and show what came of it')
    .argument('<endpoint>', 'id of the endpoint')
    .argument('<delivery>', 'id of the delivery')
    .option('--no-wait', 'do not wait for the attempt')
    .action(
      async (id: string, deliveryId: string, { wait }: { wait: boolean }, command: Command) => {
        const muster = await connect(command)
        const delivery = await muster.webhooks.redeliver(id, deliveryId)
        await showAttempt(muster, id, delivery, wait, output())
      },
    )
}

/** Waits for the attempt that was asked for; one that fails ends the command with 3. */
async function showAttempt(
  muster: Muster,
  endpointId: string,
  delivery: WebhookDelivery,
  wait: boolean,
  out: Output,
): Promise<void> {
  if (!wait) {
    out.result(delivery, () => delivery.id)
    return
  }
  const attempted = await followDelivery(muster, endpointId, delivery)
  out.result(attempted, () => describeDelivery(attempted))
  if (attempted.attempts.at(-1)?.error !== null) shell().exitCode = exitCodes.deliveryFailed
}

async function toUpdate(
  muster: Muster,
  { to, event, workflow, allWorkflows, description, activate, pause }: UpdateOptions,
): Promise<UpdateWebhook> {
  return {
    ...(to === undefined ? {} : { url: to }),
    ...(event === undefined ? {} : { events: event }),
    ...(allWorkflows === undefined ? {} : { workflow_id: null }),
    ...(workflow === undefined
      ? {}
      : { workflow_id: await workflowId(muster, 'update webhook', workflow) }),
    ...(description === undefined ? {} : { description: description === '' ? null : description }),
    ...(activate === undefined ? {} : { active: true }),
    ...(pause === undefined ? {} : { active: false }),
  }
}

async function workflowId(muster: Muster, action: string, nameOrId: string): Promise<string> {
  return (await findWorkflow(muster, action, nameOrId)).id
}

function eventOption(): Option {
  return new Option('--event <type...>', 'event types, one or more').choices(eventTypes)
}

const addressHelp = '\n--to is where events go; --url is the address of Muster, as everywhere.'

function secretField(secret: string): [string, string] {
  return ['secret', `${secret}  (shown this once)`]
}
