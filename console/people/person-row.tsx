import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { User } from '../../sdk/generated.ts'
import { useRefresh } from '../session/api.ts'
import type { Role } from '../session/roles.ts'
import { useSession } from '../session/session.tsx'
import { ConfirmButton } from '../ui/confirm.tsx'
import { Failure } from '../ui/failure.tsx'
import { Badge } from '../ui/status.tsx'
import { Ago } from '../ui/time.tsx'
import { RoleField } from './role-field.tsx'

/** One person: their role, which can be changed, and the way out. */
export function PersonRow({ user }: { user: User }): ReactNode {
  const { muster, identity } = useSession()
  const { id, name, email, role, last_signed_in_at: lastAt } = user
  const refresh = useRefresh(['users'])
  const change = useMutation({
    mutationFn: (role: Role) => muster.users.update(id, { role }),
    onSettled: refresh,
  })
  const remove = async () => {
    await muster.users.delete(id)
    await refresh()
  }
  return (
    <div className="grid gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="min-w-0 flex-1 basis-56">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-medium">{name}</span>
            {id === identity.id && <Badge tone="ok">you</Badge>}
          </p>
          <p className="truncate text-sm text-ink-soft">{email}</p>
        </div>
        <span className="text-sm text-ink-faint">
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
            isLabelHidden
            isShort
            value={change.isPending ? change.variables : role}
            onChange={change.mutate}
          />
        </div>
        <ConfirmButton
          label="Remove"
          aria-label={`Remove ${name}`}
          title={`Remove ${name}?`}
          action="Remove"
          run={remove}
        >
          Their sessions in this account end at once. What they decided stays on record.
        </ConfirmButton>
      </div>
      {change.error !== null && <Failure error={change.error} />}
    </div>
  )
}
