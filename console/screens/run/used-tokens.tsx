import type { ReactNode } from 'react'
import type { Step } from '@muster-run/sdk'
import { formatCount } from '../../ui/text/format.ts'

type Used = Pick<
  Step,
  | 'tokens_in'
  | 'tokens_out'
  | 'tokens_cached'
  | 'tokens_cache_written'
  | 'tokens_reasoning'
  | 'calls_without_usage'
  | 'calls_without_price'
>

/** Usage of a step or turn, with the parts that have their own prices. */
export function UsedTokens({ of: used }: { of: Used }): ReactNode {
  const parts = [
    [used.tokens_cached, 'from the cache'],
    [used.tokens_cache_written, 'into the cache'],
    [used.tokens_reasoning, 'for reasoning'],
  ] as const
  const shown = parts.filter(([count]) => count > 0)
  const silent = used.calls_without_usage
  return (
    <>
      {formatCount(used.tokens_in)} tokens in, {formatCount(used.tokens_out)} out
      {shown.length > 0 &&
        ` (${shown.map(([count, name]) => `${formatCount(count)} ${name}`).join(', ')})`}
      {silent > 0 && ` · ${silent} ${silent === 1 ? 'call' : 'calls'} without counts`}
    </>
  )
}
