import { lazy, type ReactNode } from 'react'
import type { CodeFieldProps } from './code-field.tsx'
import { TextArea } from './field.tsx'

/** Loads the large code editor on first use; a plain field if loading fails. */
export const CodeField = lazy(() =>
  import('./code-field.tsx').catch(() => ({ default: PlainField })),
)

function PlainField({ language, ...field }: CodeFieldProps): ReactNode {
  return <TextArea {...field} mono={language === 'json'} />
}
