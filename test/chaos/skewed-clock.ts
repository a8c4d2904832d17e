/**
 * Preloaded into Muster's processes: SIGUSR2 shifts their clock, like an operator or a bad time
 * server. Nothing may depend on it, because the database's clock decides. Two minutes are within
 * the tolerance of receivers of signed webhooks.
 */
const farthestMs = 2 * 60_000
let offsetMs = 0

const RealDate = Date
class SkewedDate extends RealDate {
  constructor(...args: [] | ConstructorParameters<typeof Date>) {
    if (args.length === 0) super(SkewedDate.now())
    else super(...args)
  }

  static override now(): number {
    return RealDate.now() + offsetMs
  }
}
globalThis.Date = SkewedDate as DateConstructor

process.on('SIGUSR2', () => {
  offsetMs = Math.round(farthestMs * (2 * Math.random() - 1))
})
