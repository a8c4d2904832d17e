import type { ReactNode } from 'react'
import type { ToolCall } from '../../../sdk/generated.ts'
import { Dot } from '../../ui/status.tsx'
import { Text } from '../../ui/text/text.tsx'
import { callState } from './call-words.ts'

/** A call in a few lines: action, arguments and result. */
export function CallLine({ call }: { call: ToolCall }): ReactNode {
  const { tone, word, isLive = false } = callState(call)
  return (
    <div className="rounded-md border px-3 py-2">
      <div className="flex flex-wrap items-center justify-between gap-2 text-sm">
        <span className="font-mono text-xs">{call.tool}</span>
        <span className="text-ink-soft">
          <Dot tone={tone} isLive={isLive}>
            {word}
          </Dot>
        </span>
      </div>
      <div className="mt-1 text-ink-soft">
        <Text text={JSON.stringify(call.input)} mono limit={400} />
      </div>
      {call.output !== null && (
        <div className="mt-1">
          <Text text={call.output} mono limit={400} />
        </div>
      )}
    </div>
  )
}
