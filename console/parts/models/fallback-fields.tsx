import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { ModelField } from './model-field.tsx'

interface Props {
  /** Ids in the order in which they are tried. */
  value: readonly string[]
  onChange: (ids: string[]) => void
  /** Shown while the list is empty. */
  none: string
  fault: { param: string; message: string } | undefined
}

const most = 3
const ranks = ['First', 'Second', 'Third']

/**
 * The fallback models, in the order in which they are used while the first model's provider is
 * unavailable.
 */
export function FallbackFields({ value, onChange, none, fault }: Props): ReactNode {
  // Fields without a choice are not sent.
  const sentIndex = (index: number) => value.slice(0, index).filter((id) => id !== '').length
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1.5 text-sm font-medium text-ink-soft">Fallback models</legend>
      {value.length === 0 && <p className="text-sm text-ink-faint">{none}</p>}
      {value.map((id, index) => (
        <div key={index} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <ModelField
              label={`${ranks[index] ?? 'Next'} fallback`}
              value={id}
              onChange={(changed) => onChange(value.with(index, changed))}
              none="Choose…"
              error={fault?.param === `fallbacks[${sentIndex(index)}]` ? fault.message : undefined}
            />
          </div>
          <div className="mt-6.5">
            <IconButton
              label={`Remove the ${ranks[index]?.toLowerCase() ?? 'next'} fallback`}
              icon={X}
              onClick={() => onChange(value.toSpliced(index, 1))}
            />
          </div>
        </div>
      ))}
      {value.length < most && (
        <div>
          <Button icon={Plus} onClick={() => onChange([...value, ''])}>
            Add fallback
          </Button>
        </div>
      )}
    </fieldset>
  )
}
