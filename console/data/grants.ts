import type { UseQueryResult } from '@tanstack/react-query'
import type { Grant, GrantRequest } from '../../sdk/generated.ts'
import { useAnswer, useList } from '../session/api.ts'

export type Scope = Grant['scopes'][number]

/** What a scope allows, in words. */
export const scopeWords: Record<Scope, string> = {
  run: 'Start and cancel runs',
  read: 'Read runs and the inbox',
  answer: 'Answer questions and approve actions in the inbox',
}

/** The programs that act for the signed-in person in their current account. */
export function useGrants(): UseQueryResult<Grant[]> {
  return useList(['grants'], (muster, options) => muster.grants.list(options))
}

/** A program's request for access, from the address of the consent page. */
export function useGrantRequest(request: string): UseQueryResult<GrantRequest> {
  return useAnswer(
    ['grant-request', request],
    (muster, options) => muster.grants.preview({ request }, options),
    // The request never changes.
    { staleTime: Infinity, retry: false, refetchOnMount: false },
  )
}
