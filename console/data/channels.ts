import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type {
  Alert,
  Case,
  Channel,
  Comment,
  Mailbox,
  MailboxMessage,
  Notification,
} from '../../sdk/generated.ts'

import { useAnswer, useList, usePages } from '../session/api.ts'

/** Queries of channels with their messages, of comments, and of mailboxes. */

export function useChannels(): UseQueryResult<Channel[]> {
  return useList(['channels'], (muster, options) => muster.channels.list(options), {
    refetchInterval: 15_000,
  })
}

export function useAlerts(): UseQueryResult<Alert[]> {
  return useList(['alerts'], (muster, options) => muster.alerts.list(options))
}

/** Messages whose delivery failed for good, newest first. */
export function useUndelivered(): UseQueryResult<Notification[]> {
  return useList(
    ['notifications', 'failed'],
    (muster, options) => muster.notifications.list({ ...options, status: 'failed', limit: 50 }),
    { refetchInterval: 15_000 },
  )
}

/** A waiting request with its assignee and the people who were notified. */
export function useNotedCase(pendingId: string): UseQueryResult<Case> {
  return useAnswer(
    ['noted-case', pendingId],
    (muster, options) => muster.pending.retrieve(pendingId, options),
    { refetchInterval: 5_000 },
  )
}

export function useComments(pendingId: string): UseQueryResult<Comment[]> {
  return useList(
    ['comments', pendingId],
    (muster, options) => muster.pending.comments(pendingId, { ...options, limit: 100 }),
    { refetchInterval: 5_000 },
  )
}

export function useMailboxes(): UseQueryResult<Mailbox[]> {
  return useList(['mailboxes'], (muster, options) => muster.mailboxes.list(options), {
    refetchInterval: 10_000,
  })
}

export function useMessages(mailboxId: string): UseInfiniteQueryResult<MailboxMessage[]> {
  return usePages(
    ['mailbox-messages', mailboxId],
    (muster, options) => muster.mailboxes.messages(mailboxId, { ...options, limit: 30 }),
    { refetchInterval: 5_000 },
  )
}

/** Causes of alerts, in the order of the form. */
export const alertCauses: Record<Alert['on'], string> = {
  'run.failed': 'A run failed',
  failure_rate: 'Too many runs failed',
  waiting_too_long: 'A request waits too long',
  'schedule.missed': 'A schedule was missed',
  'webhook.disabled': 'A webhook was disabled',
  'connector.failing': 'A connector, model provider or channel fails',
  'model.ending': 'A model in use ends',
  'budget.threshold': 'A budget reaches a threshold',
}
