import { postmasterPid } from '../../rig/bench-database.ts'
import { startEmbeddedServer } from '../../server/embedded/server.ts'
import { signalTo, withDatabase, type Ground } from './ground.ts'
import { mountSmallDisk } from './stranger.ts'

const diskMegabytes = 1_024

/**
 * One PostgreSQL that this process starts, and restarts when it ends, on a small disk if one can be
 * created.
 */
export async function startEmbeddedGround(
  dataDir: string,
  log: (line: string) => void,
): Promise<Ground> {
  await using stack = new AsyncDisposableStack()
  const disk = await mountSmallDisk(dataDir, diskMegabytes)
  if (typeof disk !== 'string') stack.use(disk)
  const server = stack.use(
    // A small WAL leaves most of the small disk to the tables.
    await startEmbeddedServer({
      dataDir,
      settings: { max_wal_size: '192MB', min_wal_size: '64MB' },
      log,
    }),
  )
  const all = stack.move()
  return {
    url: server.url,
    disk: typeof disk === 'string' ? undefined : dataDir,
    skipped:
      typeof disk === 'string' ? [`full-disk: no small file system can be made: ${disk}`] : [],
    nodes: [],
    // Undefined while it is being restarted.
    end: async (signal) => signalTo(await postmasterPid(dataDir).catch(() => undefined), signal),
    judge: (work) => withDatabase(server.url, work),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
