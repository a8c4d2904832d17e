import type { ReactNode } from 'react'
import { SelectField } from './form/field.tsx'

interface Props<T extends string> {
  /** Accessible name of the filter; visually the list's heading names it. */
  label: string
  /** The statuses with their labels, in order. */
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
