import { X } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { Form } from '../../ui/form/form.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { toLine } from '../../ui/text/invisible.ts'
import { checkLength } from '../../ui/form/limit.ts'
import { isTag, mostFindCharacters, mostTags, type Filters } from '../../data/runs/filters.ts'

interface Props {
  filters: Filters
  change: (filters: Filters) => void
}

/** One search field for an id, words or a tag. */
export function Find({ filters, change }: Props): ReactNode {
  const [text, setText] = useState('')
  const [error, setError] = useState<string>()
  const find = () => {
    const wanted = text.trim()
    if (wanted.length < 3) return setError('At least 3 characters')
    if (isTag(wanted)) {
      const tag = [...new Set([...(filters.tag ?? []), wanted])]
      if (tag.length > mostTags) return setError(`Up to ${mostTags} tags`)
      change({ ...filters, tag })
    } else {
      const { problem } = checkLength(wanted, mostFindCharacters)
      if (problem !== undefined) return setError(problem)
      change({ ...filters, find: wanted })
    }
    setText('')
  }
  return (
    <Form role="search" className="col-span-2 lg:col-span-1" send={find}>
      <TextField
        label="Find runs"
        isLabelHidden
        type="search"
        placeholder="Find by id, words of inputs, outputs and errors, or tag (key:value)"
        longest={241}
        value={text}
        {...(text !== '' && { hint: 'Press Enter to search' })}
        {...(error === undefined ? {} : { error })}
        onChange={(value) => {
          setText(value)
          setError(undefined)
        }}
      />
    </Form>
  )
}

/** The active searches, each removable. */
export function Found({ filters, change }: Props): ReactNode {
  const { retried, forked, find, tag = [] } = filters
  const without = (name: keyof Filters): Filters => {
    const { [name]: _, ...left } = filters
    return left
  }
  const withoutTag = (one: string): Filters => {
    const left = tag.filter((other) => other !== one)
    return left.length > 0 ? { ...filters, tag: left } : without('tag')
  }
  const chips = [
    ...(retried === undefined ? [] : [{ text: `Retries of ${retried}`, left: without('retried') }]),
    ...(forked === undefined ? [] : [{ text: `Forks of ${forked}`, left: without('forked') }]),
    ...(find === undefined ? [] : [{ text: `“${find}”`, left: without('find') }]),
    ...tag.map((one) => ({ text: one, left: withoutTag(one) })),
  ]
  if (chips.length === 0) return null
  return (
    <ul aria-label="Looked for" className="flex w-full flex-wrap gap-1.5">
      {chips.map(({ text, left }) => (
        <li key={text}>
          <button
            type="button"
            aria-label={`Remove ${text}`}
            onClick={() => change(left)}
            className="flex h-8 max-w-full items-center gap-1.5 rounded-full border border-accent bg-accent-soft px-3 text-sm text-accent pointer-coarse:h-10"
          >
            <span className="truncate">{toLine(text, 241)}</span>
            <X size={14} className="shrink-0" aria-hidden="true" />
          </button>
        </li>
      ))}
    </ul>
  )
}
