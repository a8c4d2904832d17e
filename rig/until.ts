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

/** Waits until `find` returns something, and returns that; fails if it does not in time. */
export async function untilFound<T>(
  what: string,
  timeoutMs: number,
  find: () => Promise<T | undefined>,
  everyMs?: number,
): Promise<T> {
  let found: T | undefined
  await until(what, timeoutMs, async () => (found = await find()) !== undefined, everyMs)
  return found as T
}
