import { it } from 'node:test'
import { fireUnderFire } from './schedule-fire.ts'

it('each moment of a schedule fires once while three processes are killed again and again', () =>
  fireUnderFire({ schedules: 40, processes: 3, kills: 12, pauseMs: 1_500 }))
