import type { ReactNode } from 'react'
import { FallbackFields } from '../models/fallback-fields.tsx'
import { ModelField } from '../models/model-field.tsx'
import { CheckField, SelectField, TextField } from '../ui/field.tsx'
import type { Fields } from '../ui/fields.ts'
import { ObjectField } from '../ui/object-field.tsx'
import { Section } from '../ui/page.tsx'
import { CrewEditor } from './crew-editor.tsx'
import { ApproverFields } from './approvers.tsx'
import type { Form } from './form.ts'

/** Everything about a workflow that can be changed. */
export function FormView(fields: Fields<Form>): ReactNode {
  const { form, set, field, fault } = fields
  return (
    <>
      <Section title="What it is">
        <div className="panel grid gap-4 p-4 sm:grid-cols-2">
          <TextField label="Name" maxLength={120} required {...field('name')} />
          <ModelField
            label="Model"
            none="The default of this server"
            isDefault
            {...field('model')}
          />
          <div className="sm:col-span-2">
            <TextField label="What it is for" maxLength={500} {...field('description')} />
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
              {...field('inputSchema', 'input_schema')}
            />
          </div>
        </div>
      </Section>
      <CrewEditor crew={form.crew} change={(crew) => set({ crew })} fault={fault} />
      <People {...fields} />
      <LimitFields {...fields} />
    </>
  )
}

function People(fields: Fields<Form>): ReactNode {
  const { form, field, check } = fields
  return (
    <Section title="People">
      <div className="panel grid gap-4 p-4">
        <CheckField
          label="Runs may pause for people"
          hint="Without it, actions that need a yes are refused and the agent goes on without."
          {...check('pauses')}
        />
        {form.pauses && (
          <>
            <CheckField label="Agents may ask questions" {...check('asks')} />
            <div className="grid gap-4 sm:grid-cols-3">
              <TextField
                label="Hours until a pause ends"
                hint="Empty: it waits without end."
                inputMode="decimal"
                {...field('timeoutHours', 'human_in_the_loop.timeout_seconds')}
              />
              <SelectField
                label="When nobody answers"
                {...field('onTimeout')}
                options={[
                  { value: 'fail', label: 'The run fails' },
                  { value: 'reject', label: 'The agent goes on without' },
                ]}
              />
            </div>
            <ApproverFields {...fields} />
          </>
        )}
        <div className="max-w-md">
          <SelectField
            label="Actions that need a yes"
            {...field('approvals')}
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

function LimitFields({ field, check }: Fields<Form>): ReactNode {
  return (
    <Section title="Limits and memory">
      <div className="panel grid gap-4 p-4">
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Model turns of a step"
            inputMode="numeric"
            {...field('maxTurns', 'limits.max_turns_per_step')}
          />
          <TextField
            label="Seconds at work of a run"
            hint="Waiting for people does not count."
            inputMode="numeric"
            {...field('maxSeconds', 'limits.max_run_seconds')}
          />
          <TextField
            label="Hours that a provider may be away"
            hint="So long a run is held before it fails; no other limit counts them."
            inputMode="decimal"
            {...field('maxOutageHours', 'limits.max_outage_seconds')}
          />
          <TextField
            label="US dollars of a run"
            hint="Empty: no limit."
            inputMode="decimal"
            {...field('maxCost', 'limits.max_cost_usd')}
          />
        </div>
        <CheckField
          label="Roles without a standing agent keep memory between runs"
          {...check('keepsMemory')}
        />
      </div>
    </Section>
  )
}
