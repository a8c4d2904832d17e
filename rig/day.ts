import { setTimeout as delay } from 'node:timers/promises'

const dayMs = 86_400_000

/**
 * Waits for midnight (UTC) if less than this is left of the day, for tests that compare daily
 * counts.
 */
export async function leaveTimeOfDay(leastMs: number): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs)
  if (leftMs < leastMs) await delay(leftMs + 100)
}
