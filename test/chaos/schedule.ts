/**
 * What goes wrong when: made of a seed, so that a schedule can be played again. Kinds are dealt like
 * cards from a shuffled deck, so that every kind comes about once a minute.
 */
const deck = {
  'kill -9 of a worker': 4,
  'kill -9 of an API process': 2,
  'SIGTERM of a process': 1,
  'worker paused beyond its lease': 2,
  'process paused for seconds': 2,
  'kill -9 of the database': 1,
  'fast restart of the database': 1,
  'connections of a process cut': 3,
  'all connections cut': 1,
  'connections of a process stalled': 2,
  'all connections stalled': 1,
  'connections of a process refused': 1,
  'all connections refused': 1,
  'clock of a process stepped': 2,
  'burst of triggers': 2,
}
export type FaultKind = keyof typeof deck
export const faultKinds = Object.keys(deck) as FaultKind[]

export interface Fault {
  /** From the start of the faults. */
  atMs: number
  kind: FaultKind
  /** 0–1: which process, and how long or how far within the bounds of the kind. */
  place: number
  size: number
}

/** On average; a burst of faults is part of it. */
const meanGapMs = 2_000

export function makeSchedule(seed: number, minutes: number): Fault[] {
  const random = randomOf(seed)
  const faults: Fault[] = []
  const cards: FaultKind[] = []
  const endMs = minutes * 60_000
  for (let atMs = meanGapMs; ;) {
    if (cards.length === 0) cards.push(...shuffled(random))
    atMs += 2 * meanGapMs * random()
    if (atMs > endMs) return faults
    const kind = cards.pop() as FaultKind
    faults.push({ atMs: Math.round(atMs), kind, place: random(), size: random() })
  }
}

function shuffled(random: () => number): FaultKind[] {
  const cards = faultKinds.flatMap((kind) => Array.from({ length: deck[kind] }, () => kind))
  for (let last = cards.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[cards[last], cards[other]] = [cards[other] as FaultKind, cards[last] as FaultKind]
  }
  return cards
}

/** mulberry32: small, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
