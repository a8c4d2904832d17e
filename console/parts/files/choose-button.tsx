import { Paperclip } from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'

interface Props {
  label: string
  kind?: 'primary' | 'plain'
  take: (files: readonly File[]) => void
}

/** Opens the system's file dialog, for any file: the service checks types by content. */
export function ChooseButton({ label, kind = 'plain', take }: Props): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={label}
        onChange={({ target }) => {
          take([...(target.files ?? [])])
          // Lets the same file be chosen again.
          target.value = ''
        }}
      />
      <Button kind={kind} icon={Paperclip} onClick={() => input.current?.click()}>
        {label}
      </Button>
    </>
  )
}
