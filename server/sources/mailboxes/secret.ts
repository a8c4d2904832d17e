import type { SealedPlace, SecretBox } from '../../secret-box.ts'
import { securityOf, type ImapServer } from './imap.ts'
import type { MailboxRow } from './store.ts'

export function mailboxPlace(accountId: string, id: string): SealedPlace {
  return ['mailbox', accountId, id]
}

export function serverOf(
  secrets: SecretBox,
  accountId: string,
  {
    id,
    host,
    port,
    username,
    secure,
    secret,
  }: Pick<MailboxRow, 'id' | 'host' | 'port' | 'username' | 'secure' | 'secret'>,
): ImapServer {
  const password = secrets.open(secret, mailboxPlace(accountId, id)).toString()
  return { host, port, username, password, secure: secure ?? securityOf(port) }
}
