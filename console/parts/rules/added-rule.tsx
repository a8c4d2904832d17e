import { useMutation } from '@tanstack/react-query'
import { Check, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Rule } from '../../../sdk/generated.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'

/** A rule that was just added, with an undo button. */
export function AddedRule({ rule, undone }: { rule: Rule; undone: () => void }): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['policies'], ['rule-suggestions'])
  const remove = useMutation({
    mutationFn: () => muster.rules.remove({ rule }),
    onSuccess: async () => {
      undone()
      await refresh()
    },
  })
  return (
    <div role="status" className="grid gap-2">
      <div className="flex flex-wrap items-center gap-3 text-sm text-ink-soft">
        <span className="inline-flex items-center gap-1.5">
          <Check size={16} aria-hidden="true" className="text-ok" /> Rule added to the policies.
        </span>
        <Button icon={Undo2} isBusy={remove.isPending} onClick={() => remove.mutate()}>
          Undo
        </Button>
      </div>
      {remove.error !== null && <Failure error={remove.error} />}
    </div>
  )
}
