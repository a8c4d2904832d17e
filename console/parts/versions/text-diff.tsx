import type { ReactNode } from 'react'
import type { RunComparison } from '../../../sdk/generated.ts'
import { Visible } from '../../ui/text/text.tsx'

type Parts = NonNullable<RunComparison['output']>

/** Two texts in one: removed words are struck out, added ones marked. */
export function TextDiff({ parts }: { parts: Parts }): ReactNode {
  return (
    <div className="said max-h-96 overflow-y-auto" tabIndex={0} role="region" aria-label="Changes">
      {parts.map(({ kind, text }, index) => {
        if (kind === 'same') return <Visible key={index} text={text} />
        return kind === 'added' ? (
          <ins key={index} className="rounded-sm bg-ok-soft text-ok no-underline">
            <Visible text={text} />
          </ins>
        ) : (
          <del key={index} className="rounded-sm bg-bad-soft text-bad">
            <Visible text={text} />
          </del>
        )
      })}
    </div>
  )
}
