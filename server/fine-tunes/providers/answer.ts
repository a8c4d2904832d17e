import { storable } from '../../safe-text.ts'
import { ProviderError } from './contract.ts'

/** Parses providers' responses, without trusting any part of them. */
export type Answer = Record<string, unknown>

export function toAnswer(value: unknown): Answer {
  return typeof value === 'object' && value !== null ? (value as Answer) : {}
}

export function toList(value: unknown): Answer[] {
  return Array.isArray(value) ? value.map(toAnswer) : []
}

/** Null if the value is not a string, or empty. */
export function toText(value: unknown, maxLength = 1_000): string | null {
  if (typeof value !== 'string' || value === '') return null
  return storable(value.slice(0, maxLength))
}

/** Null if the value is not a number of 0 or more. */
export function toAmount(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

export function toCount(value: unknown): number | null {
  return Number.isSafeInteger(value) ? toAmount(value) : null
}

/** Seconds since 1970. */
export function toTime(value: unknown): Date | null {
  const seconds = toAmount(value)
  return seconds === null || seconds === 0 || seconds > 1e11 ? null : new Date(seconds * 1000)
}

export function requireId(answer: Answer, what: string): string {
  const id = toText(answer['id'], 200)
  if (id === null) throw new ProviderError('unknown', `the answer is no ${what}`)
  return id
}
