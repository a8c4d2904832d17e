import { useEffect, useState } from 'react'
import { forgetDraft, readDraft, writeDraft } from './draft.ts'

type Value<T> = T | ((before: T) => T)
/** A field's value and its setter, like those of `useState`. */
type State = <T>(name: string, initial: T) => [value: T, set: (value: Value<T>) => void]

/** The unsaved fields of a form in a dialog. */
export interface FormDraft {
  state: State
  /** A field that is kept in memory only, such as a password or a chosen file. */
  unstored: State
  isChanged: boolean
  /** Whether a reload would lose a field. */
  hasUnstored: boolean
  /** The draft had been left before the dialog was opened. */
  isRestored: boolean
  /** Forgets what was entered: it is saved, or is no longer wanted. */
  discard: () => void
}

type Fields = Record<string, unknown>

const nothing = { kept: {} as Fields, unstored: {} as Fields }

/** Keeps the fields of a dialog as a draft of this name until they are saved or discarded. */
export function useFormDraft(name: string): FormDraft {
  const place = `form.${name}`
  const [fields, setFields] = useState(() => ({
    ...nothing,
    kept: (readDraft(place) ?? {}) as Fields,
  }))
  const { kept } = fields
  const [wasThere, setWasThere] = useState(Object.keys(kept).length > 0)
  useEffect(() => {
    if (Object.keys(kept).length === 0) forgetDraft(place)
    else writeDraft(place, kept)
  }, [place, kept])

  const stateIn =
    (part: keyof typeof nothing): State =>
    <T>(field: string, initial: T) => {
      const valueIn = (fields: Fields) =>
        (Object.hasOwn(fields, field) ? fields[field] : initial) as T
      const set = (change: Value<T>) =>
        setFields((before) => {
          const value =
            typeof change === 'function'
              ? (change as (before: T) => T)(valueIn(before[part]))
              : change
          const { [field]: _, ...others } = before[part]
          const isUnchanged = JSON.stringify(value) === JSON.stringify(initial)
          return { ...before, [part]: isUnchanged ? others : { ...others, [field]: value } }
        })
      return [valueIn(fields[part]), set]
    }
  const hasKept = Object.keys(kept).length > 0
  const hasUnstored = Object.keys(fields.unstored).length > 0
  return {
    state: stateIn('kept'),
    unstored: stateIn('unstored'),
    isChanged: hasKept || hasUnstored,
    hasUnstored,
    isRestored: wasThere && hasKept,
    discard: () => {
      // The dialog may be gone before the effect above runs.
      forgetDraft(place)
      setFields(nothing)
      setWasThere(false)
    },
  }
}
