import { ChevronsUpDown } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import type { AccountChoices } from './account-choices.tsx'

const look = 'flex w-full items-center gap-2 rounded-md px-2.5 py-1.5 text-left hover:bg-hover'
const load = () => import('./account-choices.tsx')

/** The account, with a menu whose code is loaded after the first screen. */
export function AccountMenu(): ReactNode {
  const { account, name, role } = useSession().identity
  const [opened, setOpened] = useState<{ Choices: typeof AccountChoices }>()
  const [isFailed, setFailed] = useState(false)
  useEffect(() => {
    load().catch(() => {})
  }, [])
  const open = () => {
    load().then(
      ({ AccountChoices: Choices }) => setOpened({ Choices }),
      () => setFailed(true),
    )
  }
  const isMissing = isFailed && opened === undefined
  const content = (
    <>
      <span className="min-w-0 flex-1">
        <span className="block truncate text-base font-medium">{account.name}</span>
        <span className="block truncate text-xs text-ink-faint" aria-live="polite">
          {isMissing ? 'Cannot load this menu. Reload the page.' : `${name} · ${role}`}
        </span>
      </span>
      <ChevronsUpDown size={14} className="shrink-0 text-ink-faint" aria-hidden="true" />
    </>
  )
  if (opened !== undefined) return <opened.Choices className={look}>{content}</opened.Choices>
  return (
    <button type="button" aria-haspopup="menu" className={look} onClick={open}>
      {content}
    </button>
  )
}
