import type { StartContender } from './contender.ts'
import { startPeer } from './peer-process.ts'

/** A peer starts its runs in its own process, without an API before it. */
export function peerContender(name: string): StartContender {
  return async (site) => {
    const peer = await startPeer(name, site)
    return {
      pid: peer.pid,
      play: (played) => peer.work({ kind: 'run', ...played }),
      async recover(count) {
        await peer.recover()
        await peer.work({ kind: 'check', firstTag: 0, count, open: 8 })
      },
      waiting: {
        pause: (played) => peer.work({ kind: 'pause', ...played }),
        answer: (played) => peer.work({ kind: 'answer', ...played }),
      },
      readMemory: () => peer.readMemory(),
      kill: () => peer.kill(),
      [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
    }
  }
}
