import chromium from '@sparticuz/chromium'
import { queueFiles } from '../../test/lanes/queue.ts'

export { globalTeardown } from '../../test/lanes/queue.ts'

/** Global setup of `npm run test:console`. */
export async function globalSetup(): Promise<void> {
  // Unpacks the browser once: two lanes that unpack it at the same time may start one that is half
  // written.
  await chromium.executablePath()
  await queueFiles('console/**/!(*.slow).test.ts')
}
