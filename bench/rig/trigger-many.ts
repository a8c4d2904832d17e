import type { Load, Triggered } from './load-client.ts'
import { startLoadProcess } from './load-process.ts'
import { adminKey } from './muster-process.ts'

/** Triggers so many runs as fast as it goes, from a client process of its own. */
export async function triggerMany(
  load: Pick<Load, 'url' | 'modelUrl' | 'workflowId' | 'count'>,
): Promise<Triggered> {
  await using client = await startLoadProcess()
  const rest = { firstTag: 0, connections: 64, window: load.count, inputBytes: 2_048 }
  return await client.trigger({ ...load, ...rest, apiKey: adminKey })
}
