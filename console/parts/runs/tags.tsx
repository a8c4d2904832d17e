import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Run } from '../../../sdk/generated.ts'
import { toLine } from '../../ui/text/invisible.ts'

const look = 'max-w-60 truncate rounded-sm bg-hover px-1.5 py-0.5 text-xs text-ink-soft'

/** Tags of a run; as links to the runs that have them, unless the row itself is a link. */
export function Tags({
  tags,
  linked = false,
}: Pick<Run, 'tags'> & { linked?: boolean }): ReactNode {
  const pairs = Object.entries(tags)
  if (pairs.length === 0) return null
  return (
    <span className="flex min-w-0 flex-wrap gap-1">
      {pairs.map(([key, value]) =>
        linked ? (
          <Link
            key={key}
            to="/runs"
            search={{ tag: [`${key}:${value}`] }}
            className={`${look} hover:underline`}
          >
            {key}: {toLine(value, 200)}
          </Link>
        ) : (
          <span key={key} className={look}>
            {key}: {toLine(value, 200)}
          </span>
        ),
      )}
    </span>
  )
}
