import { setTimeout as delay } from 'node:timers/promises'
import { startMuster, type MusterOptions } from '../../rig/muster-process.ts'
import type { Stranger } from './stranger.ts'

/**
 * A copy of the database beside the original, as a dump that is restored in the same server, and a process of Muster on
 * it with the same settings. What the copy sends outside would arrive twice, which the verdict counts.
 */
export function makeCopies(
  stranger: Stranger,
  options: Pick<MusterOptions, 'folder'> & { env: Record<string, string> },
  log: (line: string) => void,
): (ms: number) => Promise<void> {
  let made = 0
  return async (ms) => {
    const name = `muster_copy_${++made}`
    try {
      const url = await stranger.copyDatabase(name)
      const env = { ...options.env, DATABASE_URL: url }
      const muster = await startMuster({ ...options, role: 'all', env })
      await delay(ms)
      const held = (await muster.readLog()).includes('are held until')
      log(`a copy ran for ${ms / 1_000} s${held ? '' : ', and did not notice that it is one'}`)
      await muster.kill()
    } finally {
      await stranger.dropDatabase(name)
    }
  }
}
