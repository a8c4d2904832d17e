import { useState, type ReactNode } from 'react'
import type { CallerTool } from '../../../sdk/generated.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { jsonOf } from '../../ui/form/object-field.tsx'
import { plural } from '../../ui/text/format.ts'

interface Props {
  value: string
  onChange: (value: string) => void
  error: string | undefined
}

const example =
  '[{ "name": "lookup_order", "description": "Finds an order.", "input_schema": { "type": "object" }, "sensitive": false }]'

/** Tools that processes of the account execute, as a JSON list; collapsed if empty. */
export function CallerTools({ value, onChange, error }: Props): ReactNode {
  const [hadTools] = useState(value !== '')
  const tools = jsonOf(value)
  const count = Array.isArray(tools) ? tools.length : 0
  const problem = value.trim() === '' || Array.isArray(tools) ? error : 'Enter a JSON list'
  return (
    <details open={hadTools || error !== undefined ? true : undefined}>
      <summary className="mb-2 text-sm font-medium text-ink-soft">
        Your own tools · {count === 0 ? 'none' : plural(count, 'tool')}
      </summary>
      <TextArea
        label="Your own tools"
        hint={`Executed by a process of yours that asks for their calls. A JSON list: ${example}. Also timeout_seconds, 300 by default; sensitive is true by default.`}
        mono
        spellCheck={false}
        value={value}
        onChange={onChange}
        error={problem}
      />
    </details>
  )
}

/** JSON text for the field; empty if there are none. */
export function textOfTools(tools: CallerTool[] = []): string {
  return tools.length === 0 ? '' : JSON.stringify(tools, null, 2)
}

export function toolsFrom(text: string): CallerTool[] {
  return (jsonOf(text) as CallerTool[] | null) ?? []
}
