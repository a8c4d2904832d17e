import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { Rule, RuleSuggestion } from '../../../sdk/generated.ts'
import { AddedRule } from '../../parts/rules/added-rule.tsx'
import { useWorkflowName } from '../../parts/rules/rule-form.tsx'
import { ruleWords } from '../../parts/rules/rule-words.ts'
import { TryOnDecisions } from '../../parts/rules/try-on-decisions.tsx'
import { useAnswer, useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { Section } from '../../ui/page.tsx'
import { Ago } from '../../ui/text/time.tsx'

/** Suggested rules that would allow what people always approve; nothing if there are none. */
export function Suggestions(): ReactNode {
  const query = useAnswer(['rule-suggestions'], (muster, options) =>
    muster.rules.suggestions(options),
  )
  const [added, setAdded] = useState<Rule[]>([])
  const suggestions = query.data?.suggestions ?? []
  if (suggestions.length === 0 && added.length === 0) return null
  const forget = (rule: Rule): void => setAdded((all) => all.filter((one) => one !== rule))
  return (
    <Section title="Suggested rules">
      <ul aria-label="Suggested rules" className="panel divide-y">
        {added.map((rule) => (
          <li key={JSON.stringify(rule)} className="px-4 py-3">
            <AddedRule rule={rule} undone={() => forget(rule)} />
          </li>
        ))}
        {suggestions.map((suggestion) => (
          <Suggestion
            key={suggestion.rule.action}
            suggestion={suggestion}
            accepted={(rule) => setAdded((all) => [...all, rule])}
          />
        ))}
      </ul>
    </Section>
  )
}

interface Props {
  suggestion: RuleSuggestion
  accepted: (rule: Rule) => void
}

function Suggestion({ suggestion, accepted }: Props): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['policies'], ['rule-suggestions'])
  const workflowName = useWorkflowName()
  const { rule, count, first_decided_at: first, last_decided_at: last } = suggestion
  const add = useMutation({
    mutationFn: () => muster.rules.add({ rule }),
    onSuccess: async ({ rule }) => {
      accepted(rule)
      await refresh()
    },
  })
  return (
    <li className="grid gap-3 px-4 py-3">
      <div>
        <p className="font-medium wrap-anywhere">{ruleWords(rule, workflowName)}</p>
        <p className="text-sm text-ink-soft">
          {count} approvals in a row, the first <Ago at={first} />, the last <Ago at={last} />. The
          rule ends after 90 days.
        </p>
      </div>
      <details>
        <summary className="text-sm text-ink-soft">Condition as CEL</summary>
        <code className="mt-2 block overflow-x-auto rounded-md bg-hover px-3 py-2 text-xs break-words whitespace-pre-wrap">
          {rule.when}
        </code>
      </details>
      <TryOnDecisions tried={{ rules: [rule] }} />
      {add.error !== null && <Failure error={add.error} />}
      <div>
        <Button icon={Plus} isBusy={add.isPending} onClick={() => add.mutate()}>
          Add rule
        </Button>
      </div>
    </li>
  )
}
