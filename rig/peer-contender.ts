import type { StartContender } from './contender.ts'
import { startPeer } from './peer-process.ts'

/** A peer starts its runs in its own process, without an API before it. */
export function peerContender(name: string, env?: Record<string, string>): StartContender {
  return async (site) => {
    const peer = await startPeer(name, site, env)
    return {
      pid: peer.pid,
      async play(played) {
        await peer.work({ kind: 'run', ...played })
      },
      async recover() {
        await peer.recover()
      },
      countLost: (count) => peer.work({ kind: 'check', firstTag: 0, count, open: 8 }),
      waiting: {
        async pause(played) {
          await peer.work({ kind: 'pause', ...played })
        },
        async answer(played) {
          await peer.work({ kind: 'answer', ...played })
        },
      },
      readMemory: () => peer.readMemory(),
      kill: () => peer.kill(),
      [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
    }
  }
}
