import { it } from 'node:test'
import { fireUnderFire } from './schedule-fire.ts'

/** At full size: `schedules-under-fire.slow.test.ts`. */
it('each moment of a schedule fires once although a process is killed', () =>
  fireUnderFire({ schedules: 4, processes: 1, kills: 1, pauseMs: 200 }))
