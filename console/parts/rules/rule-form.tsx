import type { ReactNode } from 'react'
import { readTerms } from '../../../server/policies/read-terms.ts'
import { writeTerms } from '../../../server/policies/terms.ts'
import type { Rule, TryRules } from '../../../sdk/generated.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { ObjectField, jsonText, objectOf } from '../../ui/form/object-field.tsx'
import { SelectField, TextArea, TextField } from '../../ui/form/field.tsx'
import { useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'
import { ActionField } from './action-field.tsx'
import { ruleWords } from './rule-words.ts'
import { TermFields } from './term-fields.tsx'
import { rowsOf, termOf, type TermRow } from './term-rows.ts'
import { TryOnDecisions } from './try-on-decisions.tsx'

interface Props {
  title: string
  description?: ReactNode
  /** Label of the button. */
  action: string
  rule: Rule
  /** Key under which the draft is stored. */
  draftName: string
  /** The action and the decision are given, such as for a waiting call. */
  isForCall?: boolean
  /** The level of the rule; the account by default. */
  where?: Omit<TryRules, 'rules'>
  /** Shown under the sentence. */
  evidence?: ReactNode
  save: (rule: Rule) => Promise<unknown>
  close: () => void
}

/**
 * A dialog with one rule: in words, then its conditions field by field, then its CEL. What was not changed is kept as it
 * was written.
 */
export function RuleForm(props: Props): ReactNode {
  const { rule: given, isForCall = false, where = {}, save, close } = props
  const start = rowsOf(readTerms(given.when))
  const dialog = useDialogForm({
    draft: props.draftName,
    initial: {
      action: given.action,
      decision: given.decision,
      reason: given.reason ?? '',
      endsAt: given.expires_at ?? null,
      fixed: jsonText(given.fixed),
      condition: { rows: start, cel: given.when ?? '' },
    },
    saved: close,
  })
  const { set, field } = dialog
  const { action, decision, reason, endsAt, fixed, condition } = dialog.form
  const workflowName = useWorkflowName()

  const terms = condition.rows.map(termOf)
  const isWhole = terms.every((term) => typeof term !== 'string')
  const when = condition.cel.trim() === '' ? null : condition.cel
  const rule: Rule = {
    ...given,
    action: action.trim(),
    decision,
    // An absent field stays absent.
    ...orAbsent('when', when, given),
    ...orAbsent('fixed', objectOf(fixed), given),
    ...orAbsent('reason', reason === '' ? null : reason, given),
    ...orAbsent('expires_at', endsAt, given),
  }
  const setRows = (rows: TermRow[]): void => {
    const written = rows.map(termOf).filter((term) => typeof term !== 'string')
    const isUnchanged = JSON.stringify(rows) === JSON.stringify(start)
    const cel = (isUnchanged ? given.when : writeTerms(written)) ?? ''
    set({ condition: { rows, cel } })
  }
  const send = async (): Promise<true> => {
    await save(rule)
    return true
  }
  return (
    <FormModal
      title={props.title}
      description={props.description}
      help="rules"
      action={props.action}
      send={send}
      isReady={isWhole && action.trim() !== ''}
      isWide
      dialog={dialog}
      close={close}
    >
      <div className="grid gap-1">
        <p role="status" className="rounded-md bg-accent-soft px-3 py-2 wrap-anywhere">
          {ruleWords(rule, workflowName)}.
        </p>
        {props.evidence}
      </div>
      {!isForCall && (
        <div className="grid gap-4 sm:grid-cols-2">
          <ActionField {...field('action')} />
          <SelectField
            label="Decision"
            {...field('decision')}
            options={[
              { value: 'allow', label: 'Allow without approval' },
              { value: 'ask', label: 'Ask for approval' },
              { value: 'block', label: 'Block' },
            ]}
          />
        </div>
      )}
      <TermFields
        action={action.trim()}
        decision={decision}
        rows={condition.rows}
        change={setRows}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Ends on"
          hint="Empty: never."
          type="date"
          value={endsAt?.slice(0, 10) ?? ''}
          onChange={(day) => set({ endsAt: day === '' ? null : `${day}T00:00:00Z` })}
        />
        <TextField
          label="Reason"
          isOptional
          hint="For people and agents."
          longest={500}
          {...field('reason')}
        />
      </div>
      {!isForCall && (
        <ObjectField
          label="Fixed arguments"
          hint={
            'Arguments that the rule sets, such as {"channel": "#ops"}. The model does not see them.'
          }
          {...field('fixed')}
        />
      )}
      <details>
        <summary className="text-sm font-medium text-ink-soft">Condition as CEL</summary>
        <div className="mt-2">
          <TextArea
            label="Condition as CEL"
            isLabelHidden
            hint="The same conditions. What the form cannot express stays as it is."
            mono
            rows={2}
            spellCheck={false}
            longest={2_000}
            value={condition.cel}
            onChange={(cel) => set({ condition: { rows: rowsOf(readTerms(cel)), cel } })}
          />
        </div>
      </details>
      <TryOnDecisions tried={{ ...where, rules: [rule] }} />
    </FormModal>
  )
}

function orAbsent<Name extends 'when' | 'fixed' | 'reason' | 'expires_at'>(
  name: Name,
  value: NonNullable<Rule[Name]> | null,
  given: Rule,
): Partial<Rule> {
  return value === null && given[name] === undefined ? {} : { [name]: value }
}

/** Names of workflows for sentences. */
export function useWorkflowName(): (id: string) => string {
  const { data } = useWorkflows()
  return (id) => data?.find((one) => one.id === id)?.name ?? (data === undefined ? '…' : id)
}
