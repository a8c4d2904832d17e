import type { Email } from 'postal-mime'
import { reveal } from '../pending/show.ts'

/** A delivered mail as text, with characters that a terminal does not show as escapes. */
export function showMail({ from, to = [], subject, text = '' }: Email): string {
  const [sender, receivers] = [from === undefined ? [] : [from], to].map((addresses) =>
    addresses.map(({ name, address }) => `${name} <${address}>`.trim()).join(', '),
  )
  const lines = [`From: ${sender}`, `To: ${receivers}`, `Subject: ${subject}`, '', text.trim()]
  const shown = lines.flatMap((line) => reveal(line).split('\n')).map((line) => `│ ${line}`)
  return shown.join('\n')
}
