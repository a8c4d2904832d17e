import chromium from '@sparticuz/chromium'
import { queueFiles } from '../../test/lanes/queue.ts'

export { globalTeardown } from '../../test/lanes/queue.ts'

/** The files of `npm run test:console`. */
export async function globalSetup(): Promise<void> {
  // Unpacked once: two lanes that unpack it at the same time start a browser that is still being written.
  await chromium.executablePath()
  await queueFiles('console/**/*.test.ts')
}
