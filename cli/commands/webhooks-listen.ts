import { once } from 'node:events'
import { Option } from 'commander'
import {
  MusterError,
  verifyWebhook,
  WebhookVerificationError,
  type CreateWebhook,
  type Muster,
  type WebhookEvent,
} from '../../sdk/index.ts'
import { exitCodes } from '../exit-codes.ts'
import { CliError, usageError } from '../failure.ts'
import { abortOnSignal } from '../follow.ts'
import { forwardEvent } from '../forward-event.ts'
import { commandDefinitions } from '../generated.ts'
import { findWorkflow } from '../named.ts'
import { given, wholeNumber, type LocalCall, type Verbs } from '../noun.ts'
import { bold, dim, oneLine } from '../output.ts'
import { startReceiver } from '../receiver.ts'
import { shell } from '../shell.ts'

interface ListenOptions {
  port?: number
  secret?: string[]
  forward?: string
  to?: string
  event?: CreateWebhook['events']
  workflow?: string
}

const defaultPort = 4000
/** Event types that an endpoint can subscribe to. */
const eventTypes = commandDefinitions
  .find(({ id }) => id === 'webhooks.create')
  ?.fields.find(({ name }) => name === 'events')?.choices as CreateWebhook['events']

const help = `
With --forward, this command creates an endpoint for itself, passes each verified event on to the given address with its signature, answers with the answer from there, and deletes the endpoint at the end. The service has to reach this receiver: start it with MUSTER_ALLOWED_NETWORKS=127.0.0.0/8 where it runs on this machine, or give the address of a tunnel with --to.

Without --forward, events of an endpoint that you created are verified and printed, and answered with 204. Its secret is better put in MUSTER_WEBHOOK_SECRET: other users of this machine may see arguments.

An event that cannot be verified is answered with 400 and the reason.`

export function addListen({ local }: Verbs): void {
  const toPort = wholeNumber(0, 65_535)
  local(
    'listen',
    'receive events on this machine, verify and print or forward them, until Ctrl-C',
    async ({ options, out, connect }: LocalCall<ListenOptions>) => {
      const { forward, port = forward === undefined ? defaultPort : 0 } = options
      checkOptions(options)
      const known =
        options.secret ??
        (forward === undefined ? readSecrets(shell().env['MUSTER_WEBHOOK_SECRET']) : undefined)
      if (known !== undefined) await checkSecrets(known)
      const muster = known === undefined ? await connect() : undefined
      using stop = abortOnSignal(['SIGINT', 'SIGTERM'], new Error('stopped'))
      const secrets = Promise.withResolvers<string[]>()
      await using receiver = await startReceiver({
        port,
        secrets: secrets.promise,
        onEvent: async (event, request) => {
          const answer =
            forward === undefined ? { status: 204, text: '' } : await forwardEvent(forward, request)
          const forwarded = forward === undefined ? undefined : answer.status
          if (out.isJson) out.jsonLine({ ...event, ...given({ forwarded }) })
          else out.result(event, () => summarizeEvent(event, forwarded))
          if ('error' in answer) refused('not_forwarded', answer.text)
          return answer
        },
        onRefused: refused,
      }).catch((error: unknown) => {
        if (!isInUse(error)) throw error
        const why = `port ${port} is in use; choose another with --port`
        throw usageError(`Cannot listen: ${why}`, 'port_in_use')
      })
      await using endpoint = muster && (await createEndpoint(muster, receiver.url, options))
      secrets.resolve(known ?? [endpoint?.secret ?? ''])
      if (endpoint !== undefined) {
        out.note(dim(`Created ${endpoint.id}, which will be deleted at the end.`))
        out.note(dim(`Its signing secret: ${endpoint.secret}`))
      }
      const where = forward === undefined ? '' : `, forwarding to ${forward}`
      out.note(dim(`Listening on ${receiver.url}${where}. Ctrl-C stops.`))
      if (!stop.signal.aborted) await once(stop.signal, 'abort')

      function refused(code: string, message: string): void {
        out.failure({ exitCode: 0, error: { type: 'webhook', code, message } })
      }
    },
  )
    .option(
      '--port <number>',
      `port on 127.0.0.1; 0 for any free port (default: ${defaultPort}, 0 with --forward)`,
      toPort,
    )
    .option('--secret <secret...>', 'whsec_…, or several; by default MUSTER_WEBHOOK_SECRET')
    .option('--forward <url>', 'forward events to this address, such as http://127.0.0.1:3000/hook')
    .option(
      '--to <url>',
      'with --forward: the address at which the service reaches this receiver, such as a tunnel',
    )
    .addOption(new Option('--event <type...>', 'event types, one or more').choices(eventTypes))
    .option('--workflow <workflow>', 'with --forward: only runs of this workflow')
    .addHelpText('after', help)
}

/** Options of the endpoint only apply if one is created here. */
function checkOptions({ forward, secret, to, event, workflow }: ListenOptions): void {
  const creates = forward !== undefined && secret === undefined
  const isForEndpoint = [to, event, workflow].some((option) => option !== undefined)
  if (isForEndpoint && !creates) {
    const why = '--to, --event and --workflow are for the endpoint that --forward creates'
    throw usageError(`Cannot listen: ${why}, which needs no --secret`)
  }
  if (forward === undefined) return
  const url = URL.parse(forward)
  if (url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === '') return
  throw usageError('Cannot listen: --forward is not an http or https URL without a user name')
}

interface OwnEndpoint extends AsyncDisposable {
  id: string
  secret: string
}

/** Creates an endpoint that is deleted when this command ends. */
async function createEndpoint(
  muster: Muster,
  receiverUrl: string,
  { to = receiverUrl, event = eventTypes, workflow }: ListenOptions,
): Promise<OwnEndpoint> {
  const workflow_id =
    workflow === undefined ? undefined : (await findWorkflow(muster, 'listen', workflow)).id
  const description = 'muster webhooks listen'
  const body = { url: to, events: event, description, ...given({ workflow_id }) }
  const { id, secret } = await muster.webhooks.create(body).catch((error: unknown) => {
    if (!(error instanceof MusterError) || error.code !== 'invalid_url') throw error
    const hint =
      'start the service with MUSTER_ALLOWED_NETWORKS=127.0.0.0/8, or give the address of a tunnel with --to'
    throw usageError(
      `Cannot listen: the service refuses ${to}: ${error.message}; ${hint}`,
      error.code,
    )
  })
  return {
    id,
    secret,
    [Symbol.asyncDispose]: async () => {
      await muster.webhooks.delete(id).catch((error: unknown) => {
        if (error instanceof MusterError && error.status === 404) return
        const why = error instanceof Error ? error.message : String(error)
        const hint = `delete it with: muster webhooks delete ${id}`
        const message = `Cannot delete the endpoint of this command: ${why}; ${hint}`
        throw new CliError(exitCodes.error, 'endpoint_left', message, error)
      })
    },
  }
}

function readSecrets(text = ''): string[] {
  return text.split(/[\s,]+/).filter((secret) => secret !== '')
}

/** Reports an invalid secret at once, not with the first event. */
async function checkSecrets(secrets: string[]): Promise<void> {
  if (secrets.length === 0) {
    throw usageError('Cannot listen: no secret; give --secret, or set MUSTER_WEBHOOK_SECRET')
  }
  const error: unknown = await verifyWebhook('', {}, secrets).catch((reason: unknown) => reason)
  if (error instanceof WebhookVerificationError && error.code === 'invalid_secret') {
    throw usageError(
      'Cannot listen: a secret is not whsec_ and base64, as create and rotate-secret show it',
      'invalid_secret',
    )
  }
}

function isInUse(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE'
}

/** One line for each event, including unknown types of a newer service. */
function summarizeEvent(event: WebhookEvent, forwarded: number | undefined): string {
  const data: Record<string, unknown> = { ...event.data }
  const parts = [data['id'], data['status'], data['error'] ?? data['output'] ?? data['message']]
  const words = parts.filter((part) => typeof part === 'string').map((part) => oneLine(part))
  const time = oneLine(event.timestamp).slice(0, 19).replace('T', ' ')
  const facts = [bold(oneLine(event.type)), oneLine(event.id), ...words]
  const answer = forwarded === undefined ? [] : [`→ ${forwarded}`]
  return [dim(time, shell().stdout), ...facts, ...answer].join('  ')
}
