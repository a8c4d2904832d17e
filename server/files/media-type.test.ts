import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sniff } from './media-type.ts'
import { makePng } from './test-files.ts'

const sized = (head: Buffer) => {
  const found = sniff(head, 'a')
  return found.kind === 'image' ? [found.mediaType, found.width, found.height] : found
}
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex')
const webp = (chunk: string, rest: string) =>
  Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${chunk}`, 'latin1'), hex(`00000000 ${rest}`)])
/** A segment of this length, whose bytes must not matter. */
const segment = (marker: string, length: number) =>
  Buffer.concat([
    hex(`ff${marker}${(length + 2).toString(16).padStart(4, '0')}`),
    Buffer.alloc(length, 0xff),
  ])
const frame = (marker: string) => hex(`ff${marker} 000b 08 01e0 0280 01 011100`)

describe('an image', () => {
  it('has the size that its header says', () => {
    assert.deepEqual(sized(makePng(640, 480)), ['image/png', 640, 480])
    assert.deepEqual(sized(hex('474946383961 8002 e001 000000')), ['image/gif', 640, 480])
    assert.deepEqual(sized(webp('VP8 ', '000000 9d012a 8002 e0c1')), ['image/webp', 640, 480])
    assert.deepEqual(sized(webp('VP8L', '2f 7fc27700')), ['image/webp', 640, 480])
    assert.deepEqual(sized(webp('VP8X', '00000000 7f0200 df0100')), ['image/webp', 640, 480])
    for (const marker of ['c0', 'c1', 'c2', 'cf']) {
      const jpeg = [hex('ffd8'), segment('e1', 65_000), segment('c4', 40), frame(marker)]
      assert.deepEqual(sized(Buffer.concat(jpeg)), ['image/jpeg', 640, 480])
    }
    const padded = [hex('ffd8'), segment('e0', 14), hex('00 ffffff ff00'), frame('c0')]
    assert.deepEqual(sized(Buffer.concat(padded)), ['image/jpeg', 640, 480])
  })

  it('is damaged where there is no size', () => {
    for (const head of [
      makePng(3, 4).subarray(0, 20),
      hex('474946383961 80'),
      webp('ICCP', '00'),
      webp('VP8X', '00'),
      Buffer.concat([hex('ffd8'), segment('e0', 14)]),
      Buffer.concat([hex('ffd8'), hex('ffda'), frame('c0')]),
      hex('ffd8ff'),
    ]) {
      const found = sniff(head, 'a')
      assert.match(found.kind === 'refused' ? found.why : found.kind, /is damaged/)
    }
  })

  it('is looked at once, also where it is a megabyte of nothing', () => {
    for (const filling of ['01', 'ff', 'ff00', 'ffe00000', 'ffe10008457869660000']) {
      const noise = Buffer.alloc(1024 * 1024, hex(filling))
      const began = process.threadCpuUsage()
      sniff(Buffer.concat([hex('ffd8ffe10008457869660000'), noise]), 'a')
      const { user, system } = process.threadCpuUsage(began)
      assert.ok(user + system < 500_000, `${filling} took ${user + system} µs`)
    }
  })
})
