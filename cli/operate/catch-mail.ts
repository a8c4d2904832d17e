import { once } from 'node:events'
import type { Email } from 'postal-mime'
import { usageError } from '../failure.ts'
import { abortOnSignal } from '../follow.ts'
import { wholeNumber, type LocalCall, type Verbs } from '../noun.ts'
import { reveal } from '../pending/show.ts'
import { shell } from '../shell.ts'

/** A local mail server to try out email: shows each email and forwards none. */
export function addCatchMail({ local }: Verbs): void {
  local(
    'catch-mail',
    'receive email on this machine and show it; forwards nothing',
    catchMail,
  ).option('--port <port>', 'port on 127.0.0.1', wholeNumber(0, 65_535), 2525)
}

async function catchMail({ options: { port }, out }: LocalCall<{ port: number }>): Promise<void> {
  const { stdout } = shell()
  const { startMailServer } = await import('./mail-server.ts')
  using interrupt = abortOnSignal(['SIGINT', 'SIGTERM', 'SIGHUP'], new Error('Stopped'))
  await using server = await startMailServer(port).catch((error: Error) => {
    throw usageError(`Cannot receive mail on port ${port}: ${error.message}`)
  })
  out.note(`Receiving mail on 127.0.0.1:${server.port}. Start the service with:
  export MUSTER_SMTP_URL=smtp://127.0.0.1:${server.port}
  export MUSTER_EMAIL_FROM='Muster <muster@example.com>'
Ctrl-C stops.`)
  server.deliveries.on('mail', (mail) => {
    if (out.isJson) out.jsonLine(mail)
    else stdout.write(`\n${showMail(mail)}\n`)
  })
  if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort')
}

/** An email as text, with unprintable characters as escapes. */
export function showMail({ from, to = [], subject, text = '' }: Email): string {
  const [sender, receivers] = [from === undefined ? [] : [from], to].map((addresses) =>
    addresses.map(({ name, address }) => `${name} <${address}>`.trim()).join(', '),
  )
  const lines = [`From: ${sender}`, `To: ${receivers}`, `Subject: ${subject}`, '', text.trim()]
  const shown = lines.flatMap((line) => reveal(line).split('\n')).map((line) => `│ ${line}`)
  return shown.join('\n')
}
