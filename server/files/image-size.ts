export type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

export interface ImageSize {
  width: number
  height: number
}

/**
 * The size that an image's header claims, in pixels; undefined, or a `RangeError`, if it is cut or
 * not an image. Reads each byte at most once: anyone may upload a megabyte, while other requests
 * wait.
 */
export function imageSize(type: ImageType, head: Buffer): ImageSize | undefined {
  return readers[type](head)
}

const readers: Record<ImageType, (head: Buffer) => ImageSize | undefined> = {
  'image/png': (head) =>
    nameAt(head, 12) === 'IHDR'
      ? { width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
      : undefined,
  'image/gif': (head) => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) }),
  'image/jpeg': readJpeg,
  'image/webp': readWebp,
}

/** The first frame header (ITU-T T.81, B.2). Like decoders, it skips bytes between segments. */
function readJpeg(head: Buffer): ImageSize | undefined {
  for (let at = 2; at < head.length;) {
    if (head[at] !== 0xff) {
      at++
      continue
    }
    const marker = head.readUInt8(at + 1)
    // A fill byte, a stuffed byte, or a marker without a segment.
    if (marker === 0xff) at++
    else if (marker <= 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else if (isFrame(marker)) {
      return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) }
    } else if (isBeyondFrame(marker)) return undefined
    else at += 2 + head.readUInt16BE(at + 2)
  }
  return undefined
}

function isFrame(marker: number): boolean {
  const isTable = [0xc4, 0xc8, 0xcc].includes(marker)
  return marker >= 0xc0 && marker <= 0xcf && !isTable
}

/** The end of the image, or the start of a scan. */
function isBeyondFrame(marker: number): boolean {
  return marker === 0xd9 || marker === 0xda
}

/** Lossy, lossless and extended files (RFC 9649). */
function readWebp(head: Buffer): ImageSize | undefined {
  switch (nameAt(head, 12)) {
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = head.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
    }
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** The four-letter name of a chunk. */
function nameAt(head: Buffer, at: number): string {
  return head.toString('latin1', at, at + 4)
}
