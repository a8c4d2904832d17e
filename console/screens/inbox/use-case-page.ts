import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, type RefObject } from 'react'

/**
 * Refetches the run when its case leaves the list, and scrolls each case to its top through the
 * returned ref. A case that the person stepped to gets the focus; one that was opened by itself does
 * not, so that no key decides it by accident.
 */
export function useCasePage(
  runId: string,
  caseId: string,
  isListed: boolean | undefined,
): RefObject<HTMLDivElement | null> {
  const queries = useQueryClient()
  useEffect(() => {
    if (isListed !== true) void queries.invalidateQueries({ queryKey: ['run', runId] })
  }, [isListed, queries, runId])
  const top = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // `scrollIntoView` would make the next Tab begin in the case.
    top.current?.closest('.scrolls')?.scrollTo(0, 0)
    scrollTo(0, 0)
    if (steppedTo === caseId) top.current?.focus({ preventScroll: true })
    steppedTo = undefined
  }, [caseId])
  return top
}

let steppedTo: string | undefined

/** The case with this id will get the focus when it is shown. */
export function focusCase(caseId: string): void {
  steppedTo = caseId
}
