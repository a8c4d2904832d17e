import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Model } from '../../sdk/generated.ts'
import { useSession } from '../session/session.tsx'
import { SelectField } from '../ui/field.tsx'
import { demoModel, modelsQuery } from './queries.ts'

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
  /** What an empty choice means, such as "The workflow's model". */
  none: string
  error?: string | undefined
}

/** A model with its prices; those that lack a key come last and say so. */
export function ModelField({ label, value, onChange, none, error }: Props): ReactNode {
  const { muster } = useSession()
  const { data: models = [] } = useQuery(modelsQuery(muster))
  const known = models.toSorted((a, b) => Number(b.available) - Number(a.available))
  const options = [
    { value: '', label: none },
    ...known.map((model) => ({ value: model.id, label: describe(model) })),
    ...(value === '' || known.some(({ id }) => id === value)
      ? []
      : [{ value, label: `${value} (not known here)` }]),
  ]
  const chosen = models.find(({ id }) => id === value)
  return (
    <div className="grid gap-2">
      <SelectField
        label={label}
        value={value}
        onChange={onChange}
        options={options}
        error={
          error ?? (chosen?.available === false ? 'This server has no key for it.' : undefined)
        }
      />
      {value === demoModel && <DemoWarning />}
    </div>
  )
}

export function DemoWarning(): ReactNode {
  return (
    <p role="note" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
      <strong className="font-semibold">muster/demo is not a language model.</strong> It arranges
      sentences of its input, so that all can be tried offline. Give the server a provider’s key for
      real work.
    </p>
  )
}

function describe(model: Model): string {
  const { label, id, available, price_in: priceIn, price_out: priceOut, shutdown_date: end } = model
  const name = `${label === id ? id : `${label} · ${id}`}${end === null ? '' : ` · ends ${end}`}`
  if (!available) return `${name} (no key)`
  if (priceIn === null || priceOut === null) return `${name} · price not known`
  return `${name} · $${priceIn} in, $${priceOut} out per 1M tokens`
}
