import { setTimeout as delay } from 'node:timers/promises'

/** Waits for a condition, checking every few milliseconds; fails if it does not hold in time. */
export async function until(
  what: string,
  timeoutMs: number,
  condition: () => Promise<boolean> | boolean,
  everyMs = 20,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain: ${what}`)
    await delay(everyMs)
  }
}
