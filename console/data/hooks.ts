import {
  keepPreviousData,
  type UseInfiniteQueryResult,
  type UseQueryResult,
} from '@tanstack/react-query'
import type {
  Hook,
  HookDelivery,
  HookDeliveryWithBody,
  HookPreview,
  PreviewHook,
} from '../../sdk/generated.ts'
import { useAnswer, useList, usePages } from '../session/api.ts'

export function useHooks(): UseQueryResult<Hook[]> {
  return useList(['hooks'], (muster, options) => muster.hooks.list(options), {
    refetchInterval: 10_000,
  })
}

export function useHook(id: string): UseQueryResult<Hook> {
  return useAnswer(['hook', id], (muster, options) => muster.hooks.retrieve(id, options), {
    refetchInterval: 5_000,
  })
}

export function useHookDeliveries(
  id: string,
  status: HookDelivery['status'] | '',
): UseInfiniteQueryResult<HookDelivery[]> {
  const chosen = { limit: 30, ...(status !== '' && { status }) }
  return usePages(
    ['hook-deliveries', id, status],
    (muster, options) => muster.hooks.deliveries(id, { ...chosen, ...options }),
    { refetchInterval: 3_000 },
  )
}

export function useHookDelivery(hookId: string, id: string): UseQueryResult<HookDeliveryWithBody> {
  return useAnswer(['hook-delivery', hookId, id], (muster, options) =>
    muster.hooks.delivery(hookId, id, options),
  )
}

/** Previews the result of a form's filter and templates for an event. */
export function useHookPreview(given: PreviewHook): UseQueryResult<HookPreview> {
  return useAnswer(
    ['hook-preview', given],
    (muster, options) => muster.hooks.preview(given, options),
    { placeholderData: keepPreviousData, retry: false },
  )
}

export const schemes: Record<Hook['scheme'], string> = {
  github: 'GitHub',
  stripe: 'Stripe',
  slack: 'Slack',
  standard_webhooks: 'Standard Webhooks',
  hmac_sha256: 'HMAC-SHA256 of the body',
  none: 'None (anyone who knows the address)',
}

export const dedupes: readonly { value: Hook['dedupe']; label: string }[] = [
  { value: 'event', label: 'Start one run' },
  { value: 'none', label: 'Start a run each time' },
]

/** The sentence under that choice. */
export function dedupeHint(dedupe: Hook['dedupe']): string {
  return dedupe === 'none'
    ? 'Each request is an event of its own, also one that the sender repeats after a network error.'
    : 'Within 72 hours. Where the sender gives no event id, the same body is the same event.'
}

/** Whether the sender chooses the secret of a scheme. */
export function isSecretOfSender(scheme: Hook['scheme']): boolean {
  return scheme === 'stripe' || scheme === 'slack'
}
