import { ListPlus } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Rule, RuleProposal, WaitingRun } from '../../../sdk/generated.ts'
import { AddedRule } from '../../parts/rules/added-rule.tsx'
import { RuleForm } from '../../parts/rules/rule-form.tsx'
import { useAnswer, useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { Loaded } from '../../ui/states.tsx'
import { plural } from '../../ui/text/format.ts'

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
        <ProposedRule
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

interface Props {
  waiting: WaitingRun
  close: () => void
  added: (rule: Rule) => void
}

/** Opens with the rule that the service proposes. */
function ProposedRule({ waiting: { pending }, close, added }: Props): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['policies'], ['rule-suggestions'])
  const proposal = useAnswer(
    ['rule-proposal', pending.id],
    (muster, options) => muster.rules.propose({ pending_id: pending.id }, options),
    // The same rule while the dialog is open.
    { staleTime: Infinity, gcTime: 0 },
  )
  const dialog = {
    title: 'Always allow calls like this',
    description: 'Later calls that match run without approval. This request still needs an answer.',
    close,
  }
  if (proposal.data === undefined) {
    return (
      <Modal {...dialog} help="rules" onClose={close}>
        <Loaded query={proposal}>{() => null}</Loaded>
      </Modal>
    )
  }
  return (
    <RuleForm
      {...dialog}
      action="Add rule"
      isForCall
      rule={proposal.data.rule}
      draftName={`rule.${pending.id}`}
      evidence={<Evidence proposal={proposal.data} />}
      save={async (rule) => {
        added((await muster.rules.add({ rule })).rule)
        await refresh()
      }}
    />
  )
}

function Evidence({ proposal }: { proposal: RuleProposal }): ReactNode {
  const { outcome, count, rejected_allowed: refused } = proposal
  return (
    <p className="text-sm text-ink-soft">
      {count === 0
        ? 'No call like this was approved before, so the rule allows only what is in this one.'
        : `Made of this call and ${plural(count, 'approved call')} like it.`}
      {outcome !== 'execute' && (
        <span className="block text-warn">
          Such calls would still need approval: the policies or another rule ask for it.
        </span>
      )}
      {refused > 0 && (
        <span className="block text-warn">
          It would have allowed {plural(refused, 'call')} that people rejected or changed.
        </span>
      )}
    </p>
  )
}
