import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shareOf, type Pace, type PeerPaces } from './pace.ts'

const pace = (fields: Partial<Pace> = {}): Pace => ({
  answers: 100,
  measuredMs: 20_000,
  asks: 99,
  awayMs: null,
  ...fields,
})
const peer = (fields: Partial<Pace> = {}, rest: Partial<PeerPaces> = {}): PeerPaces => ({
  paces: { p: pace(fields) },
  isAlive: true,
  silentMs: 1_000,
  ...rest,
})
const perSecond = (own: Pace, ...peers: PeerPaces[]): number =>
  shareOf(own, 'p', peers).answersPerMs * 1_000

describe("a process's share of a provider", () => {
  it('is all of what it saw where it is alone', () => {
    const share = shareOf(pace(), 'p')
    assert.deepEqual(share, { answers: 100, answersPerMs: 0.005, part: 1, processes: 1 })
  })

  it('is the part of all that it asks for, and of all together it is one', () => {
    const asks = [200, 50, 0]
    const parts = asks.map((own, place) => {
      const others = asks.filter((_, other) => other !== place)
      return shareOf(
        pace({ asks: own }),
        'p',
        others.map((one) => peer({ asks: one })),
      ).part
    })
    assert.equal(parts.reduce((all, part) => all + part, 0).toFixed(9), '1.000000000')
    assert.ok((parts[0] ?? 0) > 0.75 && (parts[2] ?? 0) > 0)
  })

  it('counts what all saw, also those that know nothing of it', () => {
    const silent = { paces: {}, isAlive: true, silentMs: 0 }
    assert.equal(perSecond(pace(), peer(), silent), 10)
    assert.equal(shareOf(pace({ asks: 1 }), 'p', [silent]).processes, 2)
  })

  it('counts who was restarted while the provider was away, and nobody else who is gone', () => {
    const own = pace({ answers: 0, measuredMs: 3_000, asks: 5, awayMs: 20_000 })
    const gone = { isAlive: false, silentMs: 60_000 }
    assert.equal(perSecond(own, peer({ awayMs: 40_000 }, gone)), 5)
    assert.equal(perSecond(own, peer({ awayMs: null }, gone)), 0)
    assert.equal(perSecond({ ...own, awayMs: null }, peer({ awayMs: 40_000 }, gone)), 0)
    const longGone = { isAlive: false, silentMs: 3_600_000 }
    assert.equal(perSecond(own, peer({ awayMs: 40_000 }, longGone)), 0)
    assert.equal(shareOf(own, 'p', [peer({ awayMs: 40_000 }, gone)]).part, 1)
  })
})
