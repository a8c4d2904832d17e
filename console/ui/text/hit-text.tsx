import type { ReactNode } from 'react'
import type { Hit } from './hit.ts'

/** A found word, marked, with the text around it. */
export function HitText({ hit: { before, word, after } }: { hit: Hit }): ReactNode {
  return (
    <>
      {before}
      <mark className="rounded-xs bg-warn-soft px-0.5 text-ink">{word}</mark>
      {after}
    </>
  )
}
