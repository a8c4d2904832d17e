import type { ReactNode } from 'react'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { FileList } from '../../parts/files/file-list.tsx'
import { Section } from '../../ui/page.tsx'

/** Files that agents have written so far. */
export function WrittenFiles({ run: { files } }: { run: RunWithSteps }): ReactNode {
  if (files.outputs.length === 0) return null
  return (
    <Section title="Output files">
      <div className="panel">
        <FileList label="Output files" files={files.outputs} />
      </div>
    </Section>
  )
}
