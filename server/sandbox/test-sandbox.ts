import { testLimits } from '../start/test-limits.ts'
import { Sandbox } from './sandbox.ts'

/** For tests only: threads with limits of their own. They end by themselves when they are idle. */
export function testSandbox(): Sandbox {
  return new Sandbox(testLimits())
}
