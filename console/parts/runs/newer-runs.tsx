import { ArrowUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { plural } from '../../ui/text/format.ts'

interface Props {
  count: number
  release: () => void
}

/** A button over the top of a frozen list, without taking up space. */
export function NewerRuns({ count, release }: Props): ReactNode {
  if (count === 0) return null
  return (
    <div className="pointer-events-none sticky top-2 z-20 flex h-0 justify-center">
      <button
        type="button"
        onClick={() => {
          release()
          scrollTo(0, 0)
        }}
        className="pointer-events-auto mt-1 inline-flex h-8 items-center gap-1.5 rounded-full bg-accent-fill px-3 text-sm font-medium text-accent-ink shadow-raised hover:bg-accent-fill-hover pointer-coarse:h-10"
      >
        <ArrowUp size={14} aria-hidden="true" /> {plural(count, 'new run')}
      </button>
    </div>
  )
}
