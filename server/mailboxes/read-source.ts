import { hash } from 'node:crypto'
import PostalMime from 'postal-mime'
import { fileName } from '../files/name.ts'
import { moving } from '../sandbox/moving.ts'
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
    return await read(source, filter)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { kind: 'unread', messageId: `<${hash('sha256', source)}>`, why }
  }
}

async function read(source: Uint8Array, filter: MailFilter): Promise<Mail> {
  const mail = await PostalMime.parse(source, { maxNestingDepth })
  const attachments = mail.attachments.slice(0, maxAttachments).map(({ filename, content }) => ({
    name: fileName(filename ?? 'attachment'),
    bytes: new Uint8Array(
      typeof content === 'string' ? new TextEncoder().encode(content) : content,
    ),
  }))
  const names = attachments.map(({ name }) => name)
  const message = readMessage(mail, source, names)
  const read: Mail = {
    kind: 'mail',
    ...message,
    ignored: whyIgnored(mail, message, filter),
    attachments,
    hasMoreAttachments: mail.attachments.length > maxAttachments,
  }
  return moving(
    read,
    attachments.map(({ bytes }) => bytes.buffer),
  )
}
