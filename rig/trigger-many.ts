import type { Load, Triggered } from './load-client.ts'
import type { LoadProcess } from './load-process.ts'
import { adminKey } from './muster-process.ts'

/** Triggers so many runs as fast as it goes. */
export function triggerMany(
  client: LoadProcess,
  load: Pick<Load, 'url' | 'modelUrl' | 'workflowId' | 'count'>,
): Promise<Triggered> {
  const rest = { firstTag: 0, connections: 64, window: load.count, inputBytes: 2_048 }
  return client.trigger({ ...load, ...rest, apiKey: adminKey })
}
