import { hash } from 'node:crypto'
import PostalMime from 'postal-mime'
import { fileName } from '../../files/name.ts'
import { moving } from '../../sandbox/moving.ts'
import { repairSource } from './mail-source.ts'
import { isText } from './mail-text.ts'
import { readMessage, whyIgnored, type MailFilter, type ReadMessage } from './read-message.ts'

/** A task: reads a message as it came, decides whether it may start a run, and takes out its attachments. */
export interface Mail extends ReadMessage {
  kind: 'mail'
  ignored: string | null
  attachments: { name: string; bytes: Uint8Array<ArrayBuffer> }[]
  hasMoreAttachments: boolean
}

export interface UnreadMail {
  kind: 'unread'
  messageId: string
  why: string
}

export const maxAttachments = 20
const maxNestingDepth = 50

export async function readSource({
  source,
  filter,
}: {
  source: Uint8Array
  filter: MailFilter
}): Promise<Mail | UnreadMail> {
  try {
    const mail = await readMail(source, filter)
    return moving(
      mail,
      mail.attachments.map(({ bytes }) => bytes.buffer),
    )
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { kind: 'unread', messageId: `<${hash('sha256', source)}>`, why }
  }
}

export async function readMail(source: Uint8Array, filter: MailFilter): Promise<Mail> {
  const mail = await PostalMime.parse(repairSource(source), { maxNestingDepth })
  const files = mail.attachments.filter((file) => !isText(file))
  const attachments = files.slice(0, maxAttachments).map(({ filename, content }) => ({
    name: fileName(filename ?? 'attachment'),
    bytes: new Uint8Array(
      typeof content === 'string' ? new TextEncoder().encode(content) : content,
    ),
  }))
  const names = attachments.map(({ name }) => name)
  const message = readMessage(mail, source, names)
  return {
    kind: 'mail',
    ...message,
    ignored: whyIgnored(mail, message, filter),
    attachments,
    hasMoreAttachments: files.length > maxAttachments,
  }
}
