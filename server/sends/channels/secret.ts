import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { bytesOf, idFromBytes } from '../../ids.ts'
import type { SealedPlace, SecretBox } from '../../secret-box.ts'

/** The encrypted part of a channel, and the tokens of its links. */
export interface ChannelSecret {
  /** Key for the tokens of links: base64 of 32 random bytes. */
  link_key: string
  token?: string
  signing_secret?: string
}

export function channelPlace(accountId: string, id: string): SealedPlace {
  return ['channel', accountId, id]
}

export function newLinkKey(): string {
  return randomBytes(32).toString('base64')
}

export function sealSecret(
  secrets: SecretBox,
  accountId: string,
  id: string,
  secret: ChannelSecret,
): Buffer {
  return secrets.seal(Buffer.from(JSON.stringify(secret)), channelPlace(accountId, id))
}

export function openSecret(
  secrets: SecretBox,
  accountId: string,
  { id, secret }: { id: string; secret: Buffer },
): ChannelSecret {
  return JSON.parse(secrets.open(secret, channelPlace(accountId, id)).toString())
}

const macBytes = 18
const idBytes = 16

/** Whose mail server or Slack app a message goes through: the operator's, or one that an admin of the account chose. */
export type SentBy = 'operator' | 'account'

/**
 * The token of the link in a message: account, message, and a MAC of both, and of who sends it, with the channel's
 * key. It is the same for each attempt to send the message, and not stored.
 */
export function linkToken(
  key: string,
  accountId: string,
  notificationId: string,
  sentBy: SentBy,
): string {
  const named = Buffer.concat([bytesOf(accountId), bytesOf(notificationId)])
  return Buffer.concat([named, macOf(key, named, sentBy)]).toString('base64url')
}

/** The message that a token names; `senderOf` verifies it. */
export function readLinkToken(
  token: string,
): { accountId: string; notificationId: string } | undefined {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length !== 2 * idBytes + macBytes || bytes.toString('base64url') !== token) {
    return undefined
  }
  try {
    return {
      accountId: idFromBytes('acc', bytes.subarray(0, idBytes)),
      notificationId: idFromBytes('ntf', bytes.subarray(idBytes, 2 * idBytes)),
    }
  } catch {
    return undefined
  }
}

/** Who sent a genuine token; undefined for a forged one. */
export function senderOf(key: string, token: string): SentBy | undefined {
  const bytes = Buffer.from(token, 'base64url')
  const named = bytes.subarray(0, 2 * idBytes)
  const mac = bytes.subarray(2 * idBytes)
  const senders: SentBy[] = ['account', 'operator']
  return senders.find((sentBy) => timingSafeEqual(mac, macOf(key, named, sentBy)))
}

// Links of earlier versions count as sent by the account.
const macPrefix: Record<SentBy, string> = {
  account: 'answer ',
  operator: 'answer, sent by operator ',
}

function macOf(key: string, named: Buffer, sentBy: SentBy): Buffer {
  const hmac = createHmac('sha256', Buffer.from(key, 'base64'))
  return hmac.update(macPrefix[sentBy]).update(named).digest().subarray(0, macBytes)
}
