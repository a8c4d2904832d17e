export interface Progress {
  of: number
  done: number
  /** Of those that are done. */
  failures: unknown[]
  isOver: boolean
}

interface Options {
  /** Begins no further one, and breaks off those under way. */
  signal: AbortSignal
  tell: (progress: Progress) => void
}

const atOnce = 4

/** Does the same to each, a few at a time; one that fails does not hold up the others. */
export async function forEach(
  ids: readonly string[],
  work: (id: string, signal: AbortSignal) => Promise<unknown>,
  { signal, tell }: Options,
): Promise<void> {
  const left = ids.values()
  const failures: unknown[] = []
  let done = 0
  const say = (isOver: boolean) => tell({ of: ids.length, done, failures: [...failures], isOver })
  const carry = async () => {
    for (const id of left) {
      if (signal.aborted) return
      try {
        await work(id, signal)
      } catch (error) {
        if (signal.aborted) return
        failures.push(error)
      }
      done++
      say(false)
    }
  }
  say(false)
  await Promise.all(Array.from({ length: atOnce }, carry))
  if (!signal.aborted) say(true)
}
