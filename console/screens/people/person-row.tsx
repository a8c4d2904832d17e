import { useState, type ReactNode } from 'react'
import type { User } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import type { Role } from '../../session/roles.ts'
import { useSession } from '../../session/session.tsx'
import { Confirm, ConfirmButton } from '../../ui/confirm.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { Account } from './account.tsx'
import { RoleField } from '../../parts/people/role-field.tsx'

/** One user: their role, which changes after a confirmation, and their removal. */
export function PersonRow({ user }: { user: User }): ReactNode {
  const { muster, identity } = useSession()
  const { id, name, email, role, last_signed_in_at: lastAt } = user
  const refresh = useRefresh(['users'])
  const isSelf = id === identity.id
  const [wanted, setWanted] = useState<Role>()
  const change = async (role: Role) => {
    await muster.users.update(id, { role })
    await refresh()
  }
  const remove = async () => {
    await muster.users.delete(id)
    await refresh()
  }
  return (
    <div className="grid gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{name}</span>
            {isSelf && <Badge tone="ok">you</Badge>}
          </p>
          <p className="text-sm wrap-anywhere text-ink-soft">{email}</p>
        </div>
        <span className="basis-full text-sm text-ink-faint sm:basis-auto">
          {lastAt === null ? (
            'has not signed in'
          ) : (
            <>
              signed in <Ago at={lastAt} />
            </>
          )}
        </span>
        <div className="w-32">
          <RoleField
            label={`Role of ${name}`}
            isShort
            value={wanted ?? role}
            onChange={setWanted}
          />
        </div>
        <ConfirmButton
          label="Remove"
          aria-label={`Remove ${name}`}
          title={`Remove ${name}?`}
          action="Remove them"
          wayOut="Keep them"
          run={remove}
        >
          Their sessions in this account end at once. What they decided stays on record.
        </ConfirmButton>
      </div>
      <Account user={user} refresh={refresh} />
      {wanted !== undefined && (
        <Confirm
          title={`Change the role of ${name} to ${wanted}?`}
          action="Change the role"
          wayOut="Keep the role"
          isHarmless
          run={() => change(wanted)}
          onClose={() => setWanted(undefined)}
        >
          {isSelf
            ? 'This is you. Your sessions in this account end at once, and only an admin can change it back.'
            : 'Their sessions in this account end at once. They have to sign in again.'}
        </Confirm>
      )}
    </div>
  )
}
