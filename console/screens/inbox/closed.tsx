import { useState, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { forgetDraft, hasDraft, readDraft } from '../../ui/form/draft.ts'
import { CopyButton } from '../../ui/text/copy.tsx'
import { Text } from '../../ui/text/text.tsx'

/** In place of the buttons once another person has answered: what was typed stays until it is discarded. */
export function Closed({
  children,
  discard,
}: {
  children: string
  discard: () => void
}): ReactNode {
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p role="status" className="min-w-48 flex-1 text-sm text-warn">
        {children} What you typed stays here until you discard it.
      </p>
      <Button onClick={discard}>Discard</Button>
    </div>
  )
}

export const closedWords = 'This request is closed, so nothing more can be sent.'

const texts = ['edit', 'answer', 'reject'] as const

/** Whether an answer to this request was begun and not sent. */
export function hasUnsent(pendingId: string): boolean {
  return texts.some((kind) => hasDraft(`${kind}.${pendingId}`))
}

/** Deletes what was typed as an answer to a request; a comment is not one. */
export function forgetAnswer(pendingId: string): void {
  for (const kind of [...texts, 'cost']) forgetDraft(`${kind}.${pendingId}`)
}

/** What was typed for a request that can no longer be shown, to be copied. */
export function Unsent({ pendingId }: { pendingId: string }): ReactNode {
  const [, render] = useState(0)
  const text = [...texts, 'comment']
    .map((kind) => textOf(readDraft(`${kind}.${pendingId}`)))
    .filter((one) => one !== '')
    .join('\n\n')
  if (text === '') return null
  const discard = () => {
    forgetAnswer(pendingId)
    forgetDraft(`comment.${pendingId}`)
    render((count) => count + 1)
  }
  return (
    <section aria-label="Your unsent text" className="panel grid w-full gap-3 px-4 py-3 text-left">
      <p className="text-sm text-warn">You typed this and did not send it.</p>
      <Text text={text} />
      <div className="flex gap-2">
        <CopyButton text={text} label="Copy" isWide />
        <Button onClick={discard}>Discard</Button>
      </div>
    </section>
  )
}

/** A text as it was typed; an edit of fields as JSON. */
function textOf(draft: unknown): string {
  if (typeof draft === 'string') return draft
  if (typeof draft !== 'object' || draft === null) return ''
  if ('raw' in draft) return String(draft.raw)
  return 'typed' in draft ? JSON.stringify(draft.typed, null, 2) : ''
}
