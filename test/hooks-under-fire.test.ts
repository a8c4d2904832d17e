import { it } from 'node:test'
import { sendUnderFire } from './hook-fire.ts'

/** At full size: `hooks-under-fire.slow.test.ts`. */
it('each event that a hook is sent starts one run although its processes are killed', () =>
  sendUnderFire({ eventsPerSecond: 100, seconds: 2 }))
