import type { Limits } from '../limits.ts'
import { readConfig } from './config.ts'
import { createLimits } from './limits.ts'

/** For tests only: limits of a process with these settings, without rates by default. */
export function testLimits(env: Record<string, string> = {}): Limits {
  return createLimits(readConfig({ MUSTER_RATE_LIMIT: '0', ...env }))
}
