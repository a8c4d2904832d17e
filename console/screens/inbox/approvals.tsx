import { Users } from 'lucide-react'
import type { ReactNode } from 'react'
import type { WaitingRun } from '../../../sdk/generated.ts'
import { Text } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'

/** If several approvals are required: how many there are, and by whom. */
export function Approvals({ pending }: { pending: WaitingRun['pending'] }): ReactNode {
  const { required = 1, given = 0, by = [] } = pending.approvals ?? {}
  if (required === 1) return null
  return (
    <section aria-label="Approvals" className="panel px-4 py-3">
      <p className="flex items-center gap-2 font-medium">
        <Users size={16} className="text-ink-faint" aria-hidden="true" />
        {given} of {required} approvals
      </p>
      <ul className="grid gap-1 text-sm text-ink-soft">
        {by.map(({ id, name, reason, at }) => (
          <li key={id} className="mt-1">
            {name} approved <Ago at={at} />
            {reason !== null && (
              <>
                : <Text text={reason} />
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}
