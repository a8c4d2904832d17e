import { it } from 'node:test'
import { sendUnderFire } from './hook-fire.ts'

it('1,000 events a second for ten seconds start one run each although their processes are killed', () =>
  sendUnderFire({ eventsPerSecond: 1_000, seconds: 10 }))
