import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, type RefObject } from 'react'

/**
 * Refetches the run when its case leaves the list, and scrolls each case to its top through the
 * returned ref.
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
    top.current?.scrollIntoView({ block: 'start' })
  }, [caseId])
  return top
}
