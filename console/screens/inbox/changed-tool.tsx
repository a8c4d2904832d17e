import type { ReactNode } from 'react'
import type { WaitingRun } from '../../../sdk/generated.ts'
import { Text } from '../../ui/text/text.tsx'

interface Props {
  now: NonNullable<WaitingRun['pending']['tool_changed']>
}

/** Why approval is asked for again, and the action's current description. */
export function ChangedTool({ now }: Props): ReactNode {
  return (
    <div role="note" className="grid gap-2 rounded-md bg-warn-soft px-4 py-3 text-warn">
      <p className="font-medium">
        This action or its connection has changed since the agent asked.
      </p>
      <p className="text-sm">
        Nothing was done. The arguments below were written for what it was before; this is what it
        says now.
      </p>
      <div className="text-sm">
        <Text text={now.description} limit={2_000} />
      </div>
      {now.input_schema !== null && (
        <details>
          <summary className="text-sm">Its arguments now</summary>
          <Text text={JSON.stringify(now.input_schema, null, 2)} mono limit={10_000} />
        </details>
      )}
    </div>
  )
}
