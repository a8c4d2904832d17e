/** Tasks for tests: what a stranger's work may do at its worst. */

export function double(input: number): number {
  return input * 2
}

export function spin(): void {
  for (;;);
}

export function fail(): never {
  throw new RangeError('it went wrong')
}

export function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** Ways to fill memory: many small values, few large ones, and buffers outside of the heap. */
export function fill(kind: 'objects' | 'array' | 'map' | 'doubled' | 'text' | 'buffers'): void {
  const kept: unknown[] = []
  const map = new Map<number, number>()
  let list = [1, 2, 3, 4]
  let text = 'ab'
  for (let at = 0; ; at++) {
    if (kind === 'objects') kept.push({ at: [at] })
    if (kind === 'array') kept.push(1)
    if (kind === 'map') map.set(at, at)
    if (kind === 'doubled') list = [...list, ...list]
    if (kind === 'text') text = `${text}${text}`.split('').join('')
    if (kind === 'buffers') kept.push(Buffer.alloc(1_000_000, 1))
  }
}
