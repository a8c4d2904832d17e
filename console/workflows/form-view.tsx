import type { ReactNode } from 'react'
import { FallbackFields } from '../models/fallback-fields.tsx'
import { ModelField } from '../models/model-field.tsx'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import { ObjectField } from '../ui/object-field.tsx'
import { Section } from '../ui/page.tsx'
import { CrewEditor } from './crew-editor.tsx'
import { ApproverFields } from './approvers.tsx'
import type { Form } from './form.ts'

interface Props {
  form: Form
  change: (form: Form) => void
  /** The field that the API found at fault, and what is wrong with it. */
  fault: { param: string; message: string } | undefined
}

/** Everything about a workflow that can be changed. */
export function FormView({ form, change, fault }: Props): ReactNode {
  const set = (part: Partial<Form>) => change({ ...form, ...part })
  const faultOf = (param: string) => (fault?.param === param ? fault.message : undefined)
  return (
    <>
      <Section title="What it is">
        <div className="panel grid gap-4 p-4 sm:grid-cols-2">
          <TextField
            label="Name"
            value={form.name}
            onChange={(name) => set({ name })}
            maxLength={120}
            required
            error={faultOf('name')}
          />
          <ModelField
            label="Model"
            value={form.model}
            onChange={(model) => set({ model })}
            none="The default of this server"
            isDefault
            error={faultOf('model')}
          />
          <div className="sm:col-span-2">
            <TextField
              label="What it is for"
              value={form.description}
              onChange={(description) => set({ description })}
              maxLength={500}
              error={faultOf('description')}
            />
          </div>
          <div className="sm:col-span-2">
            <FallbackFields
              value={form.fallbacks}
              onChange={(fallbacks) => set({ fallbacks })}
              none="Runs are held until it answers again. Up to three other models can take over; an agent’s own list wins."
              fault={fault}
            />
          </div>
          <div className="sm:col-span-2">
            <ObjectField
              label="Schema of the data that runs are given"
              hint="JSON Schema with an object at its root; empty: any object."
              value={form.inputSchema}
              onChange={(inputSchema) => set({ inputSchema })}
              error={fault?.param.startsWith('input_schema') ? fault.message : undefined}
            />
          </div>
        </div>
      </Section>
      <CrewEditor crew={form.crew} change={(crew) => set({ crew })} fault={fault} />
      <People form={form} set={set} faultOf={faultOf} />
      <LimitFields form={form} set={set} faultOf={faultOf} />
    </>
  )
}

interface PartProps {
  form: Form
  set: (part: Partial<Form>) => void
  faultOf: (param: string) => string | undefined
}

function People({ form, set, faultOf }: PartProps): ReactNode {
  return (
    <Section title="People">
      <div className="panel grid gap-4 p-4">
        <CheckField
          label="Runs may pause for people"
          hint="Without it, actions that need a yes are refused and the agent goes on without."
          checked={form.pauses}
          onChange={(pauses) => set({ pauses })}
        />
        {form.pauses && (
          <>
            <CheckField
              label="Agents may ask questions"
              checked={form.asks}
              onChange={(asks) => set({ asks })}
            />
            <div className="grid gap-4 sm:grid-cols-3">
              <TextField
                label="Hours until a pause ends"
                hint="Empty: it waits without end."
                inputMode="decimal"
                value={form.timeoutHours}
                onChange={(timeoutHours) => set({ timeoutHours })}
                error={faultOf('human_in_the_loop.timeout_seconds')}
              />
              <SelectField
                label="When nobody answers"
                value={form.onTimeout}
                onChange={(value) => set({ onTimeout: value as Form['onTimeout'] })}
                options={[
                  { value: 'fail', label: 'The run fails' },
                  { value: 'reject', label: 'The agent goes on without' },
                ]}
              />
            </div>
            <ApproverFields form={form} set={set} faultOf={faultOf} />
          </>
        )}
        <div className="max-w-md">
          <SelectField
            label="Actions that need a yes"
            value={form.approvals}
            onChange={(value) => set({ approvals: value as Form['approvals'] })}
            options={[
              { value: 'sensitive', label: 'Those that write outside' },
              { value: 'all', label: 'All of them' },
              { value: 'never', label: 'None: everything is done unattended' },
            ]}
          />
        </div>
        {form.approvals === 'never' && (
          <p role="note" className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
            Agents of this workflow send, post and write without anybody seeing it first.
          </p>
        )}
      </div>
    </Section>
  )
}

function LimitFields({ form, set, faultOf }: PartProps): ReactNode {
  return (
    <Section title="Limits and memory">
      <div className="panel grid gap-4 p-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Model turns of a step"
            inputMode="numeric"
            value={form.maxTurns}
            onChange={(maxTurns) => set({ maxTurns })}
            error={faultOf('limits.max_turns_per_step')}
          />
          <TextField
            label="Seconds at work of a run"
            hint="Waiting for people does not count."
            inputMode="numeric"
            value={form.maxSeconds}
            onChange={(maxSeconds) => set({ maxSeconds })}
            error={faultOf('limits.max_run_seconds')}
          />
          <TextField
            label="Hours that a provider may be away"
            hint="So long a run is held before it fails; no other limit counts them."
            inputMode="decimal"
            value={form.maxOutageHours}
            onChange={(maxOutageHours) => set({ maxOutageHours })}
            error={faultOf('limits.max_outage_seconds')}
          />
          <TextField
            label="US dollars of a run"
            hint="Empty: no limit."
            inputMode="decimal"
            value={form.maxCost}
            onChange={(maxCost) => set({ maxCost })}
            error={faultOf('limits.max_cost_usd')}
          />
        </div>
        <CheckField
          label="Roles without a standing agent keep memory between runs"
          checked={form.keepsMemory}
          onChange={(keepsMemory) => set({ keepsMemory })}
        />
      </div>
    </Section>
  )
}
