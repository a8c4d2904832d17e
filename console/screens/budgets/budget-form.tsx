import type { ReactNode } from 'react'
import type { Budget, CreateBudget } from '../../../sdk/generated.ts'
import { useAgents } from '../../data/agents.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { fieldOf, useDialogForm } from '../../ui/form/dialog-form.ts'
import { FormModal } from '../../ui/form/form-modal.tsx'

interface Props {
  /** The budget to change; undefined to create one. */
  budget?: Budget
  /** The workflow that a new budget is for; by default the whole account. */
  workflowId?: string | undefined
  close: () => void
}

/** Creates or changes a budget; its scope cannot be changed. */
export function BudgetForm({ budget, workflowId, close }: Props): ReactNode {
  const { muster } = useSession()
  const { data: workflows = [] } = useWorkflows()
  const { data: agents = [] } = useAgents()
  const dialog = useDialogForm({
    draft: `budget.${budget?.id ?? `new${workflowId ?? ''}`}`,
    initial: {
      name: budget?.name ?? '',
      cap: String(budget?.cap_usd ?? ''),
      onCap: budget?.on_cap ?? 'hold',
      thresholds: (budget?.thresholds ?? [0.5, 0.8]).map((one) => `${100 * one}`).join(', '),
      scope: fieldOf<Budget['scope']>(workflowId === undefined ? 'account' : 'workflow'),
      value: workflowId ?? '',
      window: fieldOf<Budget['window']>('month'),
      zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    errorsAt: ['cap_usd', 'thresholds', 'scope_value', 'time_zone'],
    refresh: useRefresh(['budgets']),
    saved: close,
  })
  const { set, field } = dialog
  const { name, cap, onCap, thresholds, scope, value, window, zone } = dialog.form
  const choices = scope === 'workflow' ? workflows : scope === 'agent' ? agents : []
  const chosen = value === '' ? (choices[0]?.id ?? '') : value
  const send = (): Promise<Budget> => {
    const shares = thresholds.split(/[\s,;%]+/).filter((text) => text !== '')
    const changeable = {
      name: name.trim(),
      cap_usd: Number(cap),
      on_cap: onCap,
      thresholds: shares.map((text) => Number(text) / 100),
    }
    if (budget !== undefined) return muster.budgets.update(budget.id, changeable)
    const scope_value = scope === 'account' ? null : scope === 'tag' ? value.trim() : chosen
    const body: CreateBudget = { ...changeable, scope, scope_value, window, time_zone: zone }
    return muster.budgets.create(body)
  }
  return (
    <FormModal
      help="budgets"
      title={budget === undefined ? 'New budget' : 'Change budget'}
      dialog={dialog}
      close={close}
      action={budget === undefined ? 'Create budget' : 'Save'}
      send={send}
      isReady={name.trim() !== '' && Number(cap) > 0}
    >
      <TextField label="Name" required longest={200} {...field('name')} />
      {budget === undefined && (
        <>
          <SelectField<Budget['scope']>
            label="Counts"
            value={scope}
            onChange={(next) => set({ scope: next, value: '' })}
            options={[
              { value: 'account', label: 'All calls' },
              { value: 'workflow', label: 'Calls of a workflow' },
              { value: 'agent', label: 'Calls of an agent' },
              { value: 'tag', label: 'Calls of runs with a tag' },
            ]}
          />
          {scope === 'tag' && (
            <TextField label="Tag" placeholder="customer:acme" {...field('value', 'scope_value')} />
          )}
          {(scope === 'workflow' || scope === 'agent') && (
            <SelectField
              label={scope === 'workflow' ? 'Workflow' : 'Agent'}
              value={chosen}
              onChange={(id) => set({ value: id })}
              options={choices.map((one) => ({ value: one.id, label: one.name }))}
            />
          )}
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField<Budget['window']>
              label="Window"
              {...field('window')}
              options={[
                { value: 'day', label: 'Day' },
                { value: 'week', label: 'Week' },
                { value: 'month', label: 'Month' },
              ]}
            />
            <TextField label="Time zone" {...field('zone', 'time_zone')} />
          </div>
        </>
      )}
      <TextField
        label="Cap (USD)"
        type="number"
        inputMode="decimal"
        min="0"
        step="any"
        required
        {...field('cap', 'cap_usd')}
      />
      <SelectField<Budget['on_cap']>
        label="At the cap"
        {...field('onCap')}
        options={[
          { value: 'hold', label: 'Runs wait for the next window' },
          { value: 'ask', label: 'Runs ask for approval' },
          { value: 'refuse', label: 'Runs fail' },
          { value: 'fallback', label: 'Continue on cheaper fallback models' },
        ]}
      />
      <TextField
        label="Warn at (%)"
        isOptional
        hint="Sends the webhook event budget.threshold."
        {...field('thresholds')}
      />
    </FormModal>
  )
}
