import type { ReactNode } from 'react'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { FileList } from '../files/file-list.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import { givenTo } from './copy-as.ts'

/** The input of a run: its text, its data by field, and its files. */
export function Given({ run }: { run: RunWithSteps }): ReactNode {
  const { input, data } = givenTo(run)
  return (
    <div className="grid gap-3">
      {input !== undefined && <Markdown text={input} limit={2_000} />}
      {data != null && <JsonView value={data} />}
      {run.files.inputs.length > 0 && (
        <div className="-mx-4 -mb-3 border-t">
          <FileList label="Input files" files={run.files.inputs} />
        </div>
      )}
    </div>
  )
}
