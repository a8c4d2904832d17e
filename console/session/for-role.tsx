import { Lock } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import type { Rights } from './roles.ts'
import { useSession } from './session.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'

type Needs = 'write' | 'administer'

const words: Record<Needs & keyof Rights, { title: string; who: string }> = {
  write: { title: 'For members', who: 'Members and admins of the account do.' },
  administer: { title: 'For admins', who: 'An admin of the account does.' },
}

/** A screen that requires a permission; people without it see whom to ask. */
export function screenFor(needs: Needs, title: string, Screen: ComponentType): ComponentType {
  return () => (
    <ForRole needs={needs} title={title}>
      <Screen />
    </ForRole>
  )
}

interface Props {
  needs: Needs
  title: string
  children: ReactNode
}

export function ForRole({ needs, title, children }: Props): ReactNode {
  const { rights } = useSession()
  if (rights[needs]) return children
  return (
    <Page title={title}>
      <Empty icon={Lock} title={words[needs].title} help="roles">
        <p>You don’t have permission to view this page. {words[needs].who}</p>
      </Empty>
    </Page>
  )
}
