import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useNow } from '../../ui/text/clock.ts'
import { SelectField } from '../../ui/form/field.tsx'
import { dayMs } from '../../ui/text/format.ts'
import { endsSoon, factsOf, isEnded, optionOf } from './model-words.ts'
import { demoModel, useModels } from '../../data/models.ts'

interface Props {
  label: string
  value: string
  onChange: (value: string) => void
  /** What an empty choice means, such as "The workflow's model". */
  none: string
  /** An empty choice means the server's default, which is then named. */
  isDefault?: boolean
  error?: string | undefined
}

/**
 * A choice of models with prices, context and end date; unavailable ones come last. Models that
 * have ended are left out, except the chosen one.
 */
export function ModelField({ label, value, onChange, none, isDefault, error }: Props): ReactNode {
  const { data: models = [] } = useModels()
  const now = useNow(dayMs)
  const offered = models.filter((model) => model.id === value || !isEnded(model, now))
  const known = offered.toSorted((a, b) => Number(b.available) - Number(a.available))
  const inherited = isDefault === true ? models.find((model) => model.default) : undefined
  const options = [
    { value: '', label: inherited === undefined ? none : `${none} (now ${inherited.id})` },
    ...known.map((model) => ({ value: model.id, label: optionOf(model) })),
    ...(value === '' || known.some(({ id }) => id === value)
      ? []
      : [{ value, label: `${value} (not known here)` }]),
  ]
  const chosen = value === '' ? inherited : models.find(({ id }) => id === value)
  const isEnding = chosen !== undefined && endsSoon(chosen, now)
  return (
    <div className="grid gap-2">
      <SelectField
        label={label}
        value={value}
        onChange={onChange}
        options={options}
        {...(chosen === undefined ? {} : { hint: factsOf(chosen) })}
        error={
          error ??
          (chosen?.available === false
            ? 'It has no key. Add one under Model providers.'
            : undefined)
        }
      />
      {isEnding && (
        <p role="note" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
          {isEnded(chosen, now)
            ? `Its provider ended it on ${chosen.shutdown_date}. Choose another model.`
            : `Its provider ends it on ${chosen.shutdown_date}. Choose another model before that day.`}
        </p>
      )}
      {chosen?.id === demoModel && <DemoWarning />}
    </div>
  )
}

export function DemoWarning(): ReactNode {
  return (
    <p role="note" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
      <strong className="font-semibold">muster/demo is not a language model.</strong> It arranges
      sentences of its input, so that all can be tried offline.{' '}
      <Link to="/model-providers" className="link">
        Connect a model
      </Link>{' '}
      for real work.
    </p>
  )
}
