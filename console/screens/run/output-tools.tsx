import { Code, Download } from 'lucide-react'
import type { ReactNode } from 'react'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/text/copy.tsx'
import { saveBlob } from '../../ui/save-blob.ts'
import { Text } from '../../ui/text/text.tsx'

interface Props {
  run: RunWithSteps
  isSource: boolean
  toggle: () => void
}

/** Actions on the output of a run. */
export function OutputTools({ run, isSource, toggle }: Props): ReactNode {
  const text = sourceOf(run)
  const name = `output-${run.id}.${run.output_json === null ? 'md' : 'json'}`
  return (
    <div className="flex">
      <IconButton label="Source" icon={Code} aria-pressed={isSource} onClick={toggle} />
      <CopyButton text={text} label="Copy output" />
      <IconButton
        label="Download output"
        icon={Download}
        onClick={() => saveBlob(new Blob([text]), name)}
      />
    </div>
  )
}

export function Source({ of }: { of: RunWithSteps }): ReactNode {
  return <Text text={sourceOf(of)} mono limit={20_000} />
}

function sourceOf({ output, output_json: object }: RunWithSteps): string {
  return object === null ? (output ?? '') : JSON.stringify(object, null, 2)
}
