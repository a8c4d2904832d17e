/**
 * Preloaded into Muster's processes: SIGUSR2 sets their clock to another minute, as an operator or a
 * bad time server does. Nothing may depend on it, because the clock of the database decides. Two
 * minutes stay within what receivers of signed webhooks tolerate.
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
