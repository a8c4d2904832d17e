import { useMutation } from '@tanstack/react-query'
import { ListPlus } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Rule, WaitingRun } from '../../../sdk/generated.ts'
import { AddedRule } from '../../parts/rules/added-rule.tsx'
import { TryOnDecisions } from '../../parts/rules/try-on-decisions.tsx'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField, TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { dayMs } from '../../ui/text/format.ts'
import { partsOf, ruleFor } from './rule-for-call.ts'
import { serverNow } from '../../ui/text/server-time.ts'

/** Offers admins a rule that allows calls like this one from now on. */
export function AlwaysAllow({ waiting }: { waiting: WaitingRun }): ReactNode {
  const { rights } = useSession()
  const [isOpen, setOpen] = useState(false)
  const [added, setAdded] = useState<Rule>()
  // Rules only apply to actions of connectors.
  if (!rights.administer || waiting.pending.tool?.includes('.') !== true) return null
  if (added !== undefined) return <AddedRule rule={added} undone={() => setAdded(undefined)} />
  return (
    <>
      <Button icon={ListPlus} onClick={() => setOpen(true)}>
        Always allow this…
      </Button>
      {isOpen && (
        <RuleForm
          waiting={waiting}
          close={() => setOpen(false)}
          added={(rule) => {
            setOpen(false)
            setAdded(rule)
          }}
        />
      )}
    </>
  )
}

const inNinetyDays = (): string => new Date(serverNow() + 90 * dayMs).toISOString().slice(0, 10)

interface Props {
  waiting: WaitingRun
  close: () => void
  added: (rule: Rule) => void
}

function RuleForm({ waiting, close, added }: Props): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['policies'], ['rule-suggestions'])
  const [parts] = useState(() => partsOf(waiting))
  const draft = useFormDraft(`rule.${waiting.pending.id}`)
  const [left, setLeft] = draft.state(
    'left',
    parts.filter(({ isProposed }) => !isProposed).map(({ id }) => id),
  )
  const [day, setDay] = draft.state('day', inNinetyDays())
  const endsAt = day === '' ? null : `${day}T00:00:00Z`
  const chosen = parts.filter(({ id }) => !left.includes(id))
  const rule = ruleFor(waiting, chosen, endsAt)
  const add = useMutation({
    mutationFn: () => muster.rules.add({ rule }),
    onSuccess: async ({ rule }) => {
      draft.discard()
      added(rule)
      await refresh()
    },
  })
  return (
    <FormModal
      help="rules"
      title={`Always allow ${rule.action}`}
      description="Later calls that match run without approval. This request still needs an answer."
      action="Add rule"
      sending={add}
      error={add.error}
      draft={draft}
      close={close}
    >
      <fieldset className="grid gap-2">
        <legend className="mb-1.5 text-sm font-medium text-ink-soft">Must be the same</legend>
        {parts.map(({ id, label, value }) => (
          <CheckField
            key={id}
            label={label}
            hint={value.slice(0, 200)}
            checked={!left.includes(id)}
            onChange={(isOn) =>
              setLeft((all) => (isOn ? all.filter((one) => one !== id) : [...all, id]))
            }
          />
        ))}
      </fieldset>
      <TextField label="Ends on" hint="Empty: never." type="date" value={day} onChange={setDay} />
      <code className="block rounded-md bg-hover px-3 py-2 text-xs break-words whitespace-pre-wrap">
        {rule.when}
      </code>
      <TryOnDecisions tried={{ rules: [rule] }} />
    </FormModal>
  )
}
