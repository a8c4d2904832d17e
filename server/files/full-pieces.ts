/** The same bytes in buffers that are full, but for the last; one of them is in memory at a time. */
export async function* fullPieces(
  parts: AsyncIterable<Uint8Array>,
  pieceBytes: number,
): AsyncGenerator<Buffer<ArrayBuffer>> {
  let held: Uint8Array[] = []
  let bytes = 0
  for await (const part of parts) {
    let rest = part
    while (bytes + rest.length >= pieceBytes) {
      const fitting = rest.subarray(0, pieceBytes - bytes)
      rest = rest.subarray(fitting.length)
      yield Buffer.concat([...held, fitting])
      held = []
      bytes = 0
    }
    if (rest.length > 0) held.push(rest)
    bytes += rest.length
  }
  if (bytes > 0) yield Buffer.concat(held)
}
