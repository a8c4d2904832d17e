/**
 * Which faults happen when, derived from a seed so that a schedule can be repeated. First a storm
 * of overlapping faults, dealt like cards from a shuffled deck, so that every kind happens about
 * once a minute. Then each kind by itself, so that its recovery can be measured.
 */
const deck = {
  'kill-worker': 4,
  'kill-api': 2,
  'stop-process': 1,
  'pause-worker': 2,
  'pause-process': 2,
  'kill-database': 1,
  'restart-database': 1,
  'cut-process': 3,
  'cut-all': 1,
  'stall-process': 2,
  'stall-all': 1,
  'refuse-process': 1,
  'refuse-all': 1,
  'step-clock': 2,
  burst: 2,
  'lock-table': 1,
  'read-only': 1,
  'full-disk': 1,
  'take-connections': 1,
  'terminate-backends': 1,
  'copy-database': 1,
  'kill-node': 2,
  'hang-node': 1,
}
export type FaultKind = keyof typeof deck
const allKinds = Object.keys(deck) as FaultKind[]
/** A cluster cannot be copied by one statement; a single PostgreSQL has no nodes to lose. */
export const clusterKinds = allKinds.filter((kind) => kind !== 'copy-database')
export const isOfNode = (kind: FaultKind): boolean => kind === 'kill-node' || kind === 'hang-node'
export const faultKinds = allKinds.filter((kind) => !isOfNode(kind))

/** Duration of each kind by itself; a table is locked for longer than a statement may take. */
export const aloneSeconds = { 'lock-table': 45, others: 15 }
/** In the storm all faults are shorter, so that there is time for others. */
const longestInStormSeconds = 12

export interface Fault {
  /** Time since the start of the storm. */
  atMs: number
  kind: FaultKind
  /** 0–1: determines the target, and the duration or extent within the bounds of the kind. */
  place: number
  size: number
  /** Duration of a fault of the database. */
  seconds: number
}

/** Average gap; bursts of faults included. */
const meanGapMs = 2_000

export function makeStorm(
  seed: number,
  minutes: number,
  kinds: readonly FaultKind[] = faultKinds,
): Fault[] {
  const random = randomOf(seed)
  const faults: Fault[] = []
  const cards: FaultKind[] = []
  const endMs = minutes * 60_000
  for (let atMs = meanGapMs; ;) {
    if (cards.length === 0) {
      const whole = kinds.flatMap((kind) => Array.from({ length: deck[kind] }, () => kind))
      cards.push(...shuffle(whole, random))
    }
    atMs += 2 * meanGapMs * random()
    if (atMs > endMs) return faults
    const [place, size] = [random(), random()]
    const seconds = 2 + (longestInStormSeconds - 2) * size
    faults.push({ atMs: Math.round(atMs), kind: cards.pop() as FaultKind, place, size, seconds })
  }
}

/**
 * Each kind once, but a lock for each of the tables, and a fault for each node. `seconds` shortens
 * faults of the database.
 */
export function makeSolos(
  seed: number,
  kinds: readonly FaultKind[],
  tables: number,
  seconds?: number,
  nodes = 0,
): Fault[] {
  const random = randomOf(seed + 1)
  const counts = new Map<FaultKind, number>([
    ['lock-table', tables],
    ['kill-node', nodes],
    ['hang-node', nodes],
  ])
  const solos = kinds.flatMap((kind) => {
    const count = counts.get(kind)
    return Array.from({ length: count ?? 1 }, (_, number) => ({
      atMs: 0,
      kind,
      place: count === undefined ? random() : number / count,
      size: random(),
      seconds: seconds ?? (kind === 'lock-table' ? aloneSeconds[kind] : aloneSeconds.others),
    }))
  })
  return shuffle(solos, random)
}

function shuffle<T>(all: readonly T[], random: () => number): T[] {
  const shuffled = [...all]
  for (let last = shuffled.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T]
  }
  return shuffled
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
