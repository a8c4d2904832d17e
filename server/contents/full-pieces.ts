/**
 * Regroups bytes into parts of equal size, except the last. The parts share one buffer, so that a
 * large file makes no garbage of its size: a part is valid until the next is requested.
 */
export async function* fullPieces(
  parts: AsyncIterable<Uint8Array>,
  pieceBytes: number,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  let piece = Buffer.alloc(0)
  let bytes = 0
  for await (const part of parts) {
    let rest = part
    while (rest.length > 0) {
      if (piece.length < pieceBytes) piece = roomFor(piece, bytes + rest.length, pieceBytes)
      const fitting = rest.subarray(0, pieceBytes - bytes)
      piece.set(fitting, bytes)
      bytes += fitting.length
      rest = rest.subarray(fitting.length)
      if (bytes < pieceBytes) continue
      yield piece
      bytes = 0
    }
  }
  if (bytes > 0) yield piece.subarray(0, bytes)
}

/** A small file needs no full buffer. */
function roomFor(
  piece: Buffer<ArrayBuffer>,
  bytes: number,
  pieceBytes: number,
): Buffer<ArrayBuffer> {
  if (bytes <= piece.length) return piece
  const larger = Buffer.alloc(Math.min(pieceBytes, Math.max(bytes, 2 * piece.length)))
  larger.set(piece)
  return larger
}
