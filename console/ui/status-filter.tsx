import type { ReactNode } from 'react'
import { SelectField } from './form/field.tsx'

interface Props<T extends string> {
  /** Names the filter for screen readers. On screen the heading of its list does. */
  label: string
  /** Each status with its word, in their order. */
  states: Record<T, { word: string }>
  value: T | ''
  onChange: (value: T | '') => void
}

/** A filter beside the title of a list: items in one status, or all. */
export function StatusFilter<T extends string>(props: Props<T>): ReactNode {
  const { label, states, value, onChange } = props
  const words = Object.entries<{ word: string }>(states)
  return (
    <div className="w-40">
      <SelectField<T | ''>
        label={label}
        isLabelHidden
        value={value}
        onChange={onChange}
        options={[
          { value: '', label: 'All' },
          ...words.map(([status, { word }]) => ({ value: status as T, label: word })),
        ]}
      />
    </div>
  )
}
