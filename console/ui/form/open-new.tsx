import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { Button } from '../button.tsx'
import { readFind } from '../find.tsx'

/** The search parameter of a list's URL that opens the form for a new item. */
export function readFor({ for: workflow }: Record<string, unknown>): { for?: string } {
  return typeof workflow === 'string' && workflow.startsWith('wf_') ? { for: workflow } : {}
}

interface Props {
  label: string
  /** The form, in a dialog that `close` closes. */
  children: (close: () => void, workflowId: string | undefined) => ReactNode
}

/**
 * A button that opens the form for a new item. The form is open from the start if the URL says for
 * which workflow.
 */
export function OpenNew({ label, children }: Props): ReactNode {
  const { for: wanted } = useSearch({ strict: false })
  const navigate = useNavigate()
  const [opened, setOpened] = useState<{ for: string | undefined } | undefined>(
    wanted === undefined ? undefined : { for: wanted },
  )
  useEffect(() => {
    if (wanted === undefined) return
    void navigate({
      to: '.',
      search: readFind,
      replace: true,
      resetScroll: false,
    })
  }, [wanted, navigate])
  return (
    <>
      <Button kind="primary" icon={Plus} onClick={() => setOpened({ for: undefined })}>
        {label}
      </Button>
      {opened !== undefined && children(() => setOpened(undefined), opened.for)}
    </>
  )
}
