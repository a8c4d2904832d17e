import type { ReactNode } from 'react'
import type { RunWithSteps } from '../../sdk/generated.ts'
import { JsonView } from '../ui/json-view.tsx'
import { Text } from '../ui/text.tsx'
import { givenTo } from './copy-as.ts'

/** What a run was given: its text, and its data by fields. */
export function Given({ run }: { run: RunWithSteps }): ReactNode {
  const { input, data } = givenTo(run)
  return (
    <div className="grid gap-3">
      {input !== undefined && <Text text={input} limit={2_000} />}
      {data != null && <JsonView value={data} />}
    </div>
  )
}
