import { lazy, type ReactNode } from 'react'
import type { CodeFieldProps } from './code-field.tsx'
import { TextArea } from './field.tsx'

/** The editor, which is large, once somebody needs it; a plain field where it cannot be loaded, as on a bad line. */
export const CodeField = lazy(() =>
  import('./code-field.tsx').catch(() => ({ default: PlainField })),
)

function PlainField({ language, ...field }: CodeFieldProps): ReactNode {
  return <TextArea {...field} mono={language === 'json'} />
}
