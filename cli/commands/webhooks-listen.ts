import { once } from 'node:events'
import { verifyWebhook, WebhookVerificationError, type WebhookEvent } from '../../sdk/index.ts'
import { usageError } from '../failure.ts'
import { abortOnSignal } from '../follow.ts'
import { wholeNumber, type LocalCall, type Verbs } from '../noun.ts'
import { bold, dim, oneLine } from '../output.ts'
import { startReceiver } from '../receiver.ts'
import { shell } from '../shell.ts'

interface ListenOptions {
  port: number
  secret?: string[]
}

const help = `
Muster delivers to https URLs on public hosts. To try it, put a tunnel or a reverse proxy that speaks
https in front of this receiver. A proxy in a private network must be in one of the
MUSTER_ALLOWED_NETWORKS of the service.

Each event is answered with 204. One that cannot be verified is answered with 400 and the reason.

The secret is better put in MUSTER_WEBHOOK_SECRET: other users of this machine may see arguments.`

export function addListen({ local }: Verbs): void {
  const toPort = wholeNumber(0, 65_535)
  local(
    'listen',
    'receive events on this machine, verify and print them, until Ctrl-C',
    async ({ options: { port, secret }, out }: LocalCall<ListenOptions>) => {
      const secrets = secret ?? readSecrets(shell().env['MUSTER_WEBHOOK_SECRET'])
      await checkSecrets(secrets)
      using stop = abortOnSignal(['SIGINT', 'SIGTERM'], new Error('stopped'))
      await using receiver = await startReceiver({
        port,
        secrets,
        onEvent: (event) => {
          if (out.isJson) out.jsonLine(event)
          else out.result(event, () => describe(event))
        },
        onRefused: (code, message) =>
          out.failure({ exitCode: 0, error: { type: 'webhook', code, message } }),
      }).catch((error: unknown) => {
        if (!isInUse(error)) throw error
        const why = `port ${port} is in use; choose another with --port`
        throw usageError(`Cannot listen: ${why}`, 'port_in_use')
      })
      out.note(dim(`Listening on ${receiver.url}. Ctrl-C stops.`))
      if (!stop.signal.aborted) await once(stop.signal, 'abort')
    },
  )
    .option('--port <number>', 'where to listen on 127.0.0.1; 0 for any that is free', toPort, 4000)
    .option('--secret <secret...>', 'whsec_…, or several; by default MUSTER_WEBHOOK_SECRET')
    .addHelpText('after', help)
}

function readSecrets(text = ''): string[] {
  return text.split(/[\s,]+/).filter((secret) => secret !== '')
}

/** A wrong secret is reported at once, not with the first event. */
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

/** One line; what a newer service sends is shown too. */
function describe(event: WebhookEvent): string {
  const data: Record<string, unknown> = { ...event.data }
  const parts = [data['id'], data['status'], data['error'] ?? data['output'] ?? data['message']]
  const words = parts.filter((part) => typeof part === 'string').map((part) => oneLine(part))
  const time = oneLine(event.timestamp).slice(0, 19).replace('T', ' ')
  const facts = [bold(oneLine(event.type)), oneLine(event.id), ...words]
  return [dim(time, shell().stdout), ...facts].join('  ')
}
