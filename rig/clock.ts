/** Milliseconds of the machine's monotonic clock: the same for every process on it. */
export function clockMs(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000
}
