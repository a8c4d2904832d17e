import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { Thread, ThreadMessage } from '../../sdk/generated.ts'
import { useAnswer, usePages } from '../session/api.ts'

export function useThreads(): UseInfiniteQueryResult<Thread[]> {
  return usePages(
    ['threads'],
    (muster, options) => muster.threads.list({ limit: 50, ...options }),
    { refetchInterval: 5_000 },
  )
}

export function useThread(id: string): UseQueryResult<Thread> {
  return useAnswer(['thread', id], (muster, options) => muster.threads.retrieve(id, options))
}

/** Newest first. */
export function useThreadMessages(id: string): UseInfiniteQueryResult<ThreadMessage[]> {
  return usePages(
    ['thread-messages', id],
    (muster, options) => muster.threads.messages(id, { limit: 50, order: 'desc', ...options }),
    { refetchInterval: 5_000, keepsOther: false },
  )
}

/** Whether the state of a message may still change. */
export function isOpen({ status }: Pick<ThreadMessage, 'status'>): boolean {
  return status === 'queued' || status === 'running' || status === 'waiting_input'
}
