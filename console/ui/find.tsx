import { useNavigate, useSearch } from '@tanstack/react-router'
import { useDeferredValue, type ReactNode } from 'react'
import { TextField } from './form/field.tsx'
import { formatCount } from './text/format.ts'
import { useTyped, type Typed } from './form/typed.ts'

/** A search in a list: the typed words, and the text of a row, which must contain all of them. */
export interface Find<T> {
  field: Typed
  words: string
  textOf: (item: T) => string
}

/** The search parameter of a searchable list's URL. */
export function readFind({ find }: Record<string, unknown>): { find?: string } {
  return typeof find === 'string' && find !== '' ? { find: find.slice(0, longest) } : {}
}

const longest = 200

/** For a screen: the words are in the URL; a second list has its own parameter. */
export function useFind<T>(
  textOf: (item: T) => string,
  place: 'find' | 'invited' = 'find',
): Find<T> {
  const { [place]: words = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const field = useTyped(words, (typed) => {
    const { find } = readFind({ find: typed })
    void navigate({
      to: '.',
      search: (all) => ({ ...all, [place]: find }),
      replace: true,
      resetScroll: false,
    })
  })
  return { field, words: useDeferredValue(field.value.trim()), textOf }
}

/** For a dialog: the words are lost when it closes. */
export function useFindHere<T>(textOf: (item: T) => string): Find<T> {
  const field = useTyped('', () => {})
  return { field, words: useDeferredValue(field.value.trim()), textOf }
}

/** Matches by the prefix of the id, or by words in any order, ignoring case and accents. */
export function isMeant(id: string, text: string, words: string): boolean {
  if (words.length > 3 && id.startsWith(words)) return true
  const folded = fold(text)
  return fold(words)
    .split(/\s+/)
    .every((word) => folded.includes(word))
}

function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

interface Props {
  /** Name of the list. */
  label: string
  find: Pick<Find<never>, 'field' | 'words'>
  found: number
  of: number
  /** The rest of the list is being loaded. */
  isReading: boolean
  /** There are more items that were not loaded. */
  isCut: boolean
}

/** A search field above the rows; says how many match, and whether all were searched. */
export function FindField({ label, find, found, of, isReading, isCut }: Props): ReactNode {
  const { field, words } = find
  const count = `${formatCount(found)} of ${isCut ? 'the first ' : ''}${formatCount(of)}`
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b p-3">
      <div className="min-w-0 flex-1 basis-60 sm:max-w-sm">
        <TextField
          label={`Find in ${label}`}
          isLabelHidden
          type="search"
          placeholder="Find"
          longest={longest}
          {...field}
        />
      </div>
      <p role="status" className="text-sm text-ink-soft tabular-nums empty:sr-only">
        {words !== '' && (isReading ? `${count}, searching on…` : count)}
        {words !== '' && isCut && '; those after them are not searched'}
      </p>
    </div>
  )
}
