import Tinypool from 'tinypool'

/** The result of a task whose buffers go back to the caller without a copy. */
export function moving<Result>(result: Result, buffers: ArrayBuffer[]): Result {
  return Tinypool.move({
    [Tinypool.transferableSymbol]: buffers,
    [Tinypool.valueSymbol]: result,
  } as never) as Result
}
