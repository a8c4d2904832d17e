import { useState, type ReactNode } from 'react'
import type { Rule, TryRules } from '../../../sdk/generated.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea } from '../../ui/form/field.tsx'
import { plural } from '../../ui/text/format.ts'
import { RuleList } from './rule-list.tsx'
import { rulesOf, textOfRules } from './rules-text.ts'
import { TryOnDecisions } from './try-on-decisions.tsx'

interface Props {
  value: string
  onChange: (value: string) => void
  error: string | undefined
  /** The level of the rules; the account by default. */
  where?: Omit<TryRules, 'rules'>
}

const example =
  '[{ "action": "email.send", "when": "args.to.endsWith(\\"@example.com\\")", "decision": "allow" }]'

/** The rules of one level, as a list or as JSON, with their results for past decisions. */
export function RulesField({ value, onChange, error, where = {} }: Props): ReactNode {
  const [wantsJson, setJson] = useState(false)
  const rules = rulesOf(value)
  // Text that is no list of rules can only be edited as such.
  const isJson = wantsJson || !areRules(rules)
  const level = [where.level, where.agent_id, where.workflow_id, where.order].join(' ').trim()
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm text-ink-soft">The first rule that matches a call decides.</p>
        {(!isJson || areRules(rules)) && (
          <Button kind="quiet" onClick={() => setJson(!isJson)}>
            {isJson ? 'Edit as a list' : 'Edit as JSON'}
          </Button>
        )}
      </div>
      {isJson ? (
        <TextArea
          label="Rules"
          hint={`A JSON list: ${example}. Decisions are allow, ask and block; "fixed" sets arguments that the model does not see.`}
          mono
          spellCheck={false}
          value={value}
          onChange={onChange}
          error={error}
        />
      ) : (
        <>
          <RuleList
            rules={rules}
            change={(rules) => onChange(textOfRules(rules))}
            draftName={`rule.${level}`}
            where={where}
          />
          {error !== undefined && (
            <p role="alert" className="text-sm text-bad">
              {error}
            </p>
          )}
        </>
      )}
      {value.trim() !== '' && <TryOnDecisions tried={{ ...where, rules }} />}
    </div>
  )
}

function areRules(value: unknown): value is Rule[] {
  return (
    Array.isArray(value) &&
    value.every(
      (rule: unknown) =>
        typeof rule === 'object' &&
        rule !== null &&
        'action' in rule &&
        typeof rule.action === 'string' &&
        'decision' in rule &&
        ['allow', 'ask', 'block'].includes(String(rule.decision)) &&
        (!('when' in rule) || rule.when === null || typeof rule.when === 'string'),
    )
  )
}

/** Collapsed if empty, because most agents have no rules. */
export function FoldedRules(props: Props): ReactNode {
  const [hadRules] = useState(props.value !== '')
  const rules = rulesOf(props.value)
  const count = Array.isArray(rules) ? rules.length : 0
  return (
    <details open={hadRules || props.error !== undefined ? true : undefined}>
      <summary className="mb-2 text-sm font-medium text-ink-soft">
        Rules · {count === 0 ? 'none' : plural(count, 'rule')}
      </summary>
      <RulesField {...props} />
    </details>
  )
}
