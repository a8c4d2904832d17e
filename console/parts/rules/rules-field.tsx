import { useState, type ReactNode } from 'react'
import type { TryRules } from '../../../sdk/generated.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { plural } from '../../ui/text/format.ts'
import { rulesOf } from './rules-text.ts'
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

/** The rules of one level as JSON, with their results for past decisions. */
export function RulesField({ value, onChange, error, where = {} }: Props): ReactNode {
  return (
    <div className="grid gap-3">
      <TextArea
        label="Rules"
        hint={`A JSON list, the first match decides: ${example}. Decisions are allow, ask and block; "fixed" sets arguments that the model does not see.`}
        mono
        spellCheck={false}
        value={value}
        onChange={onChange}
        error={error}
      />
      {value.trim() !== '' && <TryOnDecisions tried={{ ...where, rules: rulesOf(value) }} />}
    </div>
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
