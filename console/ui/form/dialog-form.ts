import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { forgetDraft, readDraft, writeDraft } from './draft.ts'
import { faultOf } from './fault.ts'
import { fieldsBy, isIn, type Fields } from './fields.ts'

interface Options<Kept extends object, Unstored extends object, Result> {
  /** Name of the draft that keeps what was entered until it is saved or discarded. */
  draft: string
  initial: Kept
  /** Fields that are kept in memory only, such as a password or a chosen file. */
  unstored?: Unstored
  /**
   * Parameters of the API whose error their field shows; other errors are shown below. With `any`, a field shows the
   * error about it, which is shown below as well.
   */
  errorsAt?: readonly string[] | 'any'
  refresh?: () => Promise<unknown>
  /** Called once the result has come and the draft is gone. */
  saved?: (result: NonNullable<Result>) => unknown
}

/** A form in a dialog: its fields, its draft and its request. */
export interface DialogForm<Form, Result> extends Fields<Form> {
  isChanged: boolean
  /** Whether a reload would lose a field. */
  hasUnstored: boolean
  /** The draft had been left before the dialog was opened. */
  isRestored: boolean
  /** Deletes the draft, once it is saved or no longer wanted. */
  discard: () => void
  isSending: boolean
  /** The API's error, unless a field shows it. */
  error: unknown
  /** A request that gives `undefined` leaves the dialog as it is. */
  send: (request: () => Promise<Result>) => void
}

const nothing: { kept: object; unstored: object } = { kept: {}, unstored: {} }

/** An initial value of a field that may have others of its type. */
export function fieldOf<Value>(value: Value): Value {
  return value
}

export function useDialogForm<
  Kept extends object,
  Result = unknown,
  Unstored extends object = object,
>(options: Options<Kept, Unstored, Result>): DialogForm<Kept & Unstored, Result> {
  const { initial, unstored, errorsAt = [], refresh, saved } = options
  const place = `form.${options.draft}`
  const [typed, setTyped] = useState(() => ({
    ...nothing,
    kept: readDraft(place) ?? {},
  }))
  const { kept } = typed
  const hasKept = Object.keys(kept).length > 0
  const [wasThere, setWasThere] = useState(hasKept)
  useEffect(() => {
    if (Object.keys(kept).length === 0) forgetDraft(place)
    else writeDraft(place, kept)
  }, [place, kept])

  const discard = (): void => {
    // The dialog may be gone before the effect above runs.
    forgetDraft(place)
    setTyped(nothing)
    setWasThere(false)
  }
  const sending = useMutation({
    mutationFn: (request: () => Promise<Result>) => request(),
    onSuccess: async (result) => {
      if (result == null) return
      await refresh?.()
      discard()
      await saved?.(result)
    },
  })
  const set = (part: object): void =>
    setTyped((before) => ({
      kept: changedIn(before.kept, initial, part),
      unstored: changedIn(before.unstored, unstored ?? {}, part),
    }))
  const form = { ...initial, ...unstored, ...kept, ...typed.unstored } as Kept & Unstored
  const fault = faultOf(sending.error)
  const isAtField = errorsAt !== 'any' && errorsAt.some((param) => isIn(param, fault))
  const hasUnstored = Object.keys(typed.unstored).length > 0
  return {
    ...fieldsBy(form, set, isAtField || errorsAt === 'any' ? fault : undefined),
    isChanged: hasKept || hasUnstored,
    hasUnstored,
    isRestored: wasThere && hasKept,
    discard,
    isSending: sending.isPending,
    error: isAtField ? null : sending.error,
    send: (request) => sending.mutate(request),
  }
}

/** The fields of a part of the form that differ from their initial values, after a change. */
function changedIn(before: object, initial: object, change: object): object {
  const isChanged = ([name, value]: [string, unknown]): boolean =>
    JSON.stringify(value) !== JSON.stringify((initial as Record<string, unknown>)[name])
  const own = Object.entries(change).filter(([name]) => Object.hasOwn(initial, name))
  return Object.fromEntries(
    Object.entries({ ...before, ...Object.fromEntries(own) }).filter(isChanged),
  )
}
