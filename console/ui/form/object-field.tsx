import { Suspense, useState, type ReactNode } from 'react'
import { parseAsWritten } from '../../../server/exact-json.ts'
import { TextArea } from './field.tsx'
import { CodeField } from './lazy-code-field.tsx'

interface Props {
  label: string
  hint: string
  value: string
  onChange: (value: string) => void
  error?: string | undefined
}

/** An optional JSON object, collapsed while it is empty. */
export function ObjectField({ label, hint, value, onChange, error }: Props): ReactNode {
  const [wasGiven] = useState(value !== '')
  const problem = error ?? (isObject(value) ? undefined : 'Enter a JSON object')
  const field = { label, isLabelHidden: true, value, onChange, hint, error: problem }
  return (
    <details open={wasGiven || error !== undefined ? true : undefined}>
      <summary className="text-sm font-medium text-ink-soft">{label}</summary>
      <div className="mt-2">
        <Suspense fallback={<TextArea {...field} />}>
          <CodeField language="json" {...field} />
        </Suspense>
      </div>
    </details>
  )
}

function isObject(text: string): boolean {
  const value = objectOf(text)
  return typeof value === 'object' && !Array.isArray(value)
}

/**
 * Null for an empty text. Text that is not JSON is sent unchanged; the API's error says what is
 * wrong.
 */
export function jsonOf(text: string): unknown {
  if (text.trim() === '') return null
  try {
    return parseAsWritten(text)
  } catch {
    return text
  }
}

export function objectOf(text = ''): Record<string, unknown> | null {
  return jsonOf(text) as Record<string, unknown> | null
}

export function jsonText(object: object | null | undefined): string {
  return object == null ? '' : JSON.stringify(object, null, 2)
}
