import { Suspense, type ReactNode } from 'react'
import { TextArea } from './field.tsx'
import { formatCount } from '../text/format.ts'
import { CodeField } from './lazy-code-field.tsx'

const longest = 8_000

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
}

/** Instructions of an agent in an editor; a plain field until the editor has loaded. */
export function PromptField({ label, value, onChange, error }: Props): ReactNode {
  // The API counts code points.
  const length = Array.from(value).length
  const hint = `${formatCount(length)} of ${formatCount(longest)} characters`
  const problem = error ?? (length > longest ? `${hint}: too long` : undefined)
  return (
    <Suspense
      fallback={
        <TextArea label={label} value={value} onChange={onChange} hint={hint} error={problem} />
      }
    >
      <CodeField
        label={label}
        language="text"
        value={value}
        onChange={onChange}
        hint={hint}
        error={problem}
      />
    </Suspense>
  )
}
