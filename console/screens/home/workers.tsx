import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useAnswer } from '../../session/api.ts'
import { plural } from '../../ui/text/format.ts'
import { Dot } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'

/** Workers online; a warning when there are none. */
export function Workers(): ReactNode {
  const { data } = useAnswer(['workers'], (muster, options) => muster.workers.retrieve(options), {
    refetchInterval: 15_000,
  })
  if (data === undefined) return <Dot tone="neutral">Looking for workers…</Dot>
  const { alive, last_seen_at: last } = data
  if (alive > 0) return <Dot tone="ok">{plural(alive, 'worker')} online</Dot>
  return (
    <div role="note" className="flex gap-3 rounded-lg bg-warn-soft px-4 py-3">
      <TriangleAlert size={18} className="mt-0.5 shrink-0 text-warn" aria-hidden="true" />
      <div>
        <p className="font-medium text-warn">No worker is online. Runs stay queued.</p>
        <p className="mt-0.5 text-ink-soft">
          {last === null ? (
            'None has been seen yet.'
          ) : (
            <>
              One was seen last <Ago at={last} />.
            </>
          )}{' '}
          Start one with <code className="code">muster serve --role worker</code>; what is queued
          goes on by itself.
        </p>
      </div>
    </div>
  )
}
