import { Lock } from 'lucide-react'
import type { ReactNode } from 'react'
import { Page } from './page.tsx'
import { Empty } from './states.tsx'

export function AdminsOnly({ title }: { title: string }): ReactNode {
  return (
    <Page title={title}>
      <Empty icon={Lock} title="For admins">
        <p>Your role does not reach this. An admin of the account does.</p>
      </Empty>
    </Page>
  )
}
