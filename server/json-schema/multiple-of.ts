import { _, str, type FuncKeywordDefinition } from 'ajv/dist/2020.js'

/**
 * `multipleOf` in decimals, as people write them: 19.99 is a multiple of 0.01. Ajv divides, which in binary leaves
 * a rest; its option `multipleOfPrecision` would take 19.9900001 for one as well.
 */
export const multipleOf: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  error: {
    message: ({ schemaCode }) => str`must be multiple of ${schemaCode}`,
    params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}`,
  },
  compile: multipleTester,
}

/** Of the shortest decimals that stand for the two; `step` is above 0. */
export function isMultipleOf(value: number, step: number): boolean {
  return multipleTester(step)(value)
}

/** Up to it a double tells all integers apart, and decimals of as many digits. */
const most = 1e15

function multipleTester(step: number): (value: number) => boolean {
  const { digits, exponent } = toDecimal(step)
  const power = 10 ** Math.max(0, -exponent)
  const unit = Math.round(step * power)
  const isPlain = power <= most && unit <= most
  return (value) => {
    const scaled = Math.round(value * power)
    if (isPlain && Math.abs(scaled) <= most) return scaled / power === value && scaled % unit === 0
    const one = toDecimal(value)
    const shift = one.exponent - exponent
    return shift >= 0
      ? (one.digits * 10n ** BigInt(shift)) % digits === 0n
      : one.digits % (digits * 10n ** BigInt(-shift)) === 0n
  }
}

/** `digits` times ten to the power of `exponent`, without its sign. */
function toDecimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = '', power = ''] = Math.abs(value).toExponential().split('e')
  const fraction = mantissa.slice(2)
  return {
    digits: BigInt(mantissa.charAt(0) + fraction),
    exponent: Number(power) - fraction.length,
  }
}
