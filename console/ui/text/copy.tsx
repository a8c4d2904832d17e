import { Check, Copy } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { Button, IconButton } from '../button.tsx'
import { announce } from '../focus/announce.tsx'

interface Props {
  text: string
  label: string
  /** Shows a label beside the icon. */
  isWide?: boolean
}

const failedWords = 'Not copied: select it'

/** A button that copies a text and confirms it. */
export function CopyButton({ text, label, isWide = false }: Props): ReactNode {
  const [state, setState] = useState<'idle' | 'done' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), 2_000)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () => {
    void copyText(text).then((isDone) => {
      setState(isDone ? 'done' : 'failed')
      announce(isDone ? 'Copied' : failedWords)
    })
  }
  const icon = state === 'done' ? Check : Copy
  const shown = state === 'done' ? 'Copied' : state === 'failed' ? failedWords : label
  return isWide ? (
    <Button icon={icon} onClick={copy}>
      {shown}
    </Button>
  ) : (
    <IconButton icon={icon} label={shown} onClick={copy} />
  )
}

/**
 * Browsers offer no clipboard to pages on plain HTTP of another machine; a selection works there.
 */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  }
  const { activeElement } = document
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isDone = document.execCommand('copy')
  area.remove()
  if (activeElement instanceof HTMLElement) activeElement.focus()
  return isDone
}
