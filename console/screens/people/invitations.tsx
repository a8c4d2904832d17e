import type { ReactNode } from 'react'
import type { Invitation } from '../../../sdk/generated.ts'
import { usePages, useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { useFind } from '../../ui/find.tsx'
import { useNow } from '../../ui/text/clock.ts'
import { List } from '../../ui/list.tsx'
import { Section } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'

/** Open invitations, if there are any. */
export function Invitations(): ReactNode {
  const query = usePages(['invitations'], (muster, options) =>
    muster.invitations.list({ ...options, open: true, limit: 100 }),
  )
  const find = useFind(({ email, role }: Invitation) => [email, role].join(' '), 'invited')
  if (query.data?.length === 0) return null
  return (
    <Section title="Invited">
      <List label="Invitations" query={query} lines={2} find={find}>
        {(invitation) => <Row invitation={invitation} />}
      </List>
    </Section>
  )
}

function Row({ invitation }: { invitation: Invitation }): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['invitations'])
  const { id, email, role, expires_at: expiresAt } = invitation
  const hasEnded = Date.parse(expiresAt) <= useNow()
  const withdraw = async () => {
    await muster.invitations.delete(id)
    await refresh()
  }
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-4 py-3">
      <p className="flex min-w-0 flex-1 basis-56 flex-wrap items-center gap-x-2 gap-y-1">
        <span className="min-w-0 wrap-anywhere">{email}</span>
        <Badge tone="neutral">{role}</Badge>
      </p>
      <span className="text-sm text-ink-faint">
        {hasEnded ? 'link ended' : 'link ends'} <Ago at={expiresAt} />
      </span>
      <ConfirmButton
        label="Withdraw"
        aria-label={`Withdraw the invitation of ${email}`}
        title={`Withdraw the invitation of ${email}?`}
        action="Withdraw it"
        wayOut="Cancel"
        run={withdraw}
      >
        Its link stops working at once.
      </ConfirmButton>
    </div>
  )
}
