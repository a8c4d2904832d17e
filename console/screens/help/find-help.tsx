import { Link, useNavigate } from '@tanstack/react-router'
import { useRef, type KeyboardEvent, type ReactNode } from 'react'
import type { Section } from '../../build/sections.ts'
import { mostFound } from '../../data/help/search.ts'
import { useHelpSearch } from '../../data/help/pages.ts'
import { Failure } from '../../ui/failure.tsx'
import { useFind } from '../../ui/find.tsx'
import { Form } from '../../ui/form/form.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { plural } from '../../ui/text/format.ts'
import { findHit } from '../../ui/text/hit.ts'
import { HitText } from '../../ui/text/hit-text.tsx'

/** The search over all pages of the docs; what it finds stands in place of the page. */
export function FindHelp({ children }: { children: ReactNode }): ReactNode {
  const { field, words } = useFind<Section>(({ text }) => text)
  const isWanted = words.length >= 2
  const { data: search, error } = useHelpSearch(isWanted)
  const found = isWanted ? search?.(words) : undefined
  const navigate = useNavigate()
  const results = useRef<HTMLDivElement>(null)
  const linkTo = ({ page, hash }: Section) => ({ to: `/help/${page}`, hash, search: {} })
  const openFirst = () => {
    // The deferred words may be older than what was typed.
    const [first] = search?.(field.value.trim()) ?? []
    if (first === undefined) return
    // While the field has the focus, it keeps its words.
    field.ref.current?.blur()
    void navigate(linkTo(first))
  }
  /** Down and up go from the field through the results. */
  const step = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by === undefined || results.current === null) return
    const stops = [...results.current.querySelectorAll<HTMLElement>('input, a')]
    const next = stops[stops.findIndex((one) => one === document.activeElement) + by]
    if (next === undefined) return
    event.preventDefault()
    next.focus()
  }
  return (
    <div ref={results} role="presentation" onKeyDown={step}>
      <Form role="search" className="mb-6 max-w-md" send={openFirst}>
        <TextField
          label="Search the documentation"
          isLabelHidden
          type="search"
          placeholder="Search the documentation"
          longest={200}
          {...field}
        />
      </Form>
      <p role="status" className="mb-3 text-sm text-ink-soft empty:sr-only">
        {found !== undefined && countOf(found)}
      </p>
      {error !== null && <Failure error={error} />}
      {found === undefined
        ? children
        : found.length > 0 && (
            <ul aria-label="Found" className="grid gap-1">
              {found.map((section) => {
                const { page, title, heading, hash, text } = section
                const hit = findHit([text], words)
                return (
                  <li key={`${page}#${hash}`}>
                    <Link
                      {...linkTo(section)}
                      className="block rounded-md px-3 py-2 -mx-3 hover:bg-hover"
                    >
                      <span className="font-medium">{title}</span>
                      {heading !== '' && <span className="text-ink-soft"> › {heading}</span>}
                      <span className="mt-0.5 line-clamp-2 text-sm text-ink-soft">
                        {hit === undefined ? text.slice(0, 200) : <HitText hit={hit} />}
                      </span>
                    </Link>
                  </li>
                )
              })}
            </ul>
          )}
    </div>
  )
}

function countOf({ length }: Section[]): string {
  if (length === 0) return 'No matches'
  return length < mostFound ? plural(length, 'section') : `The best ${mostFound} sections`
}
