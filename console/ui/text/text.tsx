import { useMemo, useState, type ReactNode } from 'react'
import { Button } from '../button.tsx'
import { formatCount } from './format.ts'
import { splitInvisible } from './invisible.ts'

interface Props {
  text: string
  /** For arguments, JSON and code. */
  mono?: boolean
  /** Characters shown before "Show more". */
  limit?: number
}

const step = 50_000

/** Untrusted text as plain text, with names for invisible characters. */
export function Text({ text, mono = false, limit = 4_000 }: Props): ReactNode {
  const [shown, setShown] = useState(limit)
  const part = text.length > shown ? text.slice(0, shown) : text
  return (
    <>
      <div className={mono ? 'code' : 'said'} dir="auto">
        <Visible text={part} />
        {part.length < text.length && '…'}
      </div>
      {part.length < text.length && (
        <div className="mt-2">
          <Button onClick={() => setShown(shown + step)}>
            Show more ({formatCount(text.length - shown)} characters)
          </Button>
        </div>
      )}
    </>
  )
}

/** A text with its invisible characters named. */
export function Visible({ text }: { text: string }): ReactNode {
  const pieces = useMemo(() => splitInvisible(text), [text])
  return pieces.map(({ text, name }, index) =>
    name === undefined ? (
      text
    ) : (
      <mark
        key={index}
        title="A character that is not visible"
        className="mx-px rounded-sm bg-warn-soft px-1 font-mono text-xs whitespace-nowrap text-warn"
      >
        {name}
      </mark>
    ),
  )
}
