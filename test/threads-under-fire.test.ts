import { it } from 'node:test'
import { writeUnderFire } from './thread-fire.ts'

/** At full size: `threads-under-fire.slow.test.ts`. */
it('each message of a thread is answered once and in order although its processes are killed', () =>
  writeUnderFire({ threads: 4, messages: 6, kills: 2, killEveryMs: 600 }))
