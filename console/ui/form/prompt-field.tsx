import { Suspense, type ReactNode } from 'react'
import { TextArea } from './field.tsx'
import { CodeField } from './lazy-code-field.tsx'
import { checkLength, countOf, lengthOf } from './limit.ts'

const longest = 8_000

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
}

/** Instructions of an agent in an editor; a plain field until the editor has loaded. */
export function PromptField({ label, value, onChange, error }: Props): ReactNode {
  const hint = countOf(lengthOf(value), longest)
  const problem = error ?? checkLength(value, longest).problem
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
