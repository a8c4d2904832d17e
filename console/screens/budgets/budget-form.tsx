import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Budget, CreateBudget } from '../../../sdk/generated.ts'
import { useAgents } from '../../data/agents.ts'
import { useWorkflows } from '../../data/workflows.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { faultOf } from '../../ui/form/fault.ts'
import { SelectField, TextField } from '../../ui/form/field.tsx'
import { useFormDraft } from '../../ui/form/form-draft.ts'
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
  const refresh = useRefresh(['budgets'])
  const { data: workflows = [] } = useWorkflows()
  const { data: agents = [] } = useAgents()
  const draft = useFormDraft(`budget.${budget?.id ?? `new${workflowId ?? ''}`}`)
  const [name, setName] = draft.state('name', budget?.name ?? '')
  const [cap, setCap] = draft.state('cap', String(budget?.cap_usd ?? ''))
  const [onCap, setOnCap] = draft.state<Budget['on_cap']>('onCap', budget?.on_cap ?? 'hold')
  const [thresholds, setThresholds] = draft.state(
    'thresholds',
    (budget?.thresholds ?? [0.5, 0.8]).map((one) => `${100 * one}`).join(', '),
  )
  const [scope, setScope] = draft.state<Budget['scope']>(
    'scope',
    workflowId === undefined ? 'account' : 'workflow',
  )
  const [value, setValue] = draft.state('value', workflowId ?? '')
  const [window, setWindow] = draft.state<Budget['window']>('window', 'month')
  const [zone, setZone] = draft.state('zone', new Intl.DateTimeFormat().resolvedOptions().timeZone)
  const choices = scope === 'workflow' ? workflows : scope === 'agent' ? agents : []
  const chosen = value === '' ? (choices[0]?.id ?? '') : value
  const save = useMutation({
    mutationFn: () => {
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
    },
    onSuccess: async () => {
      await refresh()
      draft.discard()
      close()
    },
  })
  const fault = faultOf(save.error)
  const faultAt = (param: string): string | undefined =>
    fault?.param?.split('[')[0] === param ? fault.message : undefined
  const known = ['cap_usd', 'thresholds', 'scope_value', 'time_zone']
  return (
    <FormModal
      help="budgets"
      title={budget === undefined ? 'New budget' : 'Change budget'}
      draft={draft}
      close={close}
      action={budget === undefined ? 'Create budget' : 'Save'}
      sending={save}
      error={known.some((param) => faultAt(param) !== undefined) ? null : save.error}
      isReady={name.trim() !== '' && Number(cap) > 0}
    >
      <TextField label="Name" required longest={200} value={name} onChange={setName} />
      {budget === undefined && (
        <>
          <SelectField<Budget['scope']>
            label="Counts"
            value={scope}
            onChange={(next) => {
              setScope(next)
              setValue('')
            }}
            options={[
              { value: 'account', label: 'All calls' },
              { value: 'workflow', label: 'Calls of a workflow' },
              { value: 'agent', label: 'Calls of an agent' },
              { value: 'tag', label: 'Calls of runs with a tag' },
            ]}
          />
          {scope === 'tag' && (
            <TextField
              label="Tag"
              placeholder="customer:acme"
              value={value}
              onChange={setValue}
              error={faultAt('scope_value')}
            />
          )}
          {(scope === 'workflow' || scope === 'agent') && (
            <SelectField
              label={scope === 'workflow' ? 'Workflow' : 'Agent'}
              value={chosen}
              onChange={setValue}
              options={choices.map((one) => ({ value: one.id, label: one.name }))}
            />
          )}
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField<Budget['window']>
              label="Window"
              value={window}
              onChange={setWindow}
              options={[
                { value: 'day', label: 'Day' },
                { value: 'week', label: 'Week' },
                { value: 'month', label: 'Month' },
              ]}
            />
            <TextField
              label="Time zone"
              value={zone}
              onChange={setZone}
              error={faultAt('time_zone')}
            />
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
        value={cap}
        onChange={setCap}
        error={faultAt('cap_usd')}
      />
      <SelectField<Budget['on_cap']>
        label="At the cap"
        value={onCap}
        onChange={setOnCap}
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
        value={thresholds}
        onChange={setThresholds}
        error={faultAt('thresholds')}
      />
    </FormModal>
  )
}
