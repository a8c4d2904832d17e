import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { SelectField } from './form/field.tsx'

/** The statuses with their labels, in order. */
export type States<T extends string> = Record<T, { word: string }>

interface Props<T extends string> {
  /** Accessible name of the filter; visually the list's heading names it. */
  label: string
  states: States<T>
  value: T | ''
  onChange: (value: T | '') => void
}

/** The search parameter of a screen with a status filter. */
export function readStatus({ status }: Record<string, unknown>): { status?: string } {
  return typeof status === 'string' ? { status } : {}
}

/** The status in the URL; each choice is an entry of the history, so that Back undoes it. */
export function useStatus<T extends string>(
  states: Record<T, unknown>,
): [T | '', (status: T | '') => void] {
  const { status = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const choose = (chosen: T | ''): void =>
    void navigate({
      to: '.',
      search: (all) => {
        const { status: _, ...others } = all
        return chosen === '' ? others : { ...others, status: chosen }
      },
      resetScroll: false,
    })
  return [Object.hasOwn(states, status) ? (status as T) : '', choose]
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
