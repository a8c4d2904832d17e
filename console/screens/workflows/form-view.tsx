import type { ReactNode } from 'react'
import { FallbackFields } from '../../parts/models/fallback-fields.tsx'
import { ModelField } from '../../parts/models/model-field.tsx'
import { CheckField, SelectField, TextField } from '../../ui/form/field.tsx'
import type { Fields } from '../../ui/form/fields.ts'
import { ObjectField } from '../../ui/form/object-field.tsx'
import { FormTabs } from '../../ui/form/form-tabs.tsx'
import { CrewEditor } from './crew-editor.tsx'
import { ApprovalFields } from './approval-fields.tsx'
import type { Form } from './form.ts'

/** The form of a workflow, the crew first. */
export function FormView(fields: Fields<Form>): ReactNode {
  const { form, set, field, fault } = fields
  return (
    <>
      <div className="panel mb-6 grid gap-4 p-4 sm:grid-cols-2">
        <TextField label="Name" longest={120} required {...field('name')} />
        <TextField label="Description" longest={500} isOptional {...field('description')} />
      </div>
      <FormTabs
        label="Parts of the workflow"
        fault={fault}
        tabs={[
          {
            name: 'Crew',
            params: ['crew'],
            view: <CrewEditor crew={form.crew} change={(crew) => set({ crew })} fault={fault} />,
          },
          { name: 'Model', params: ['model', 'fallbacks'], view: <ModelFields {...fields} /> },
          {
            name: 'Input and output',
            params: ['input_schema', 'expose_mcp'],
            view: <SchemaFields {...fields} />,
          },
          {
            name: 'Approvals',
            params: ['human_in_the_loop'],
            view: <ApprovalFields {...fields} />,
          },
          {
            name: 'Limits and memory',
            params: ['limits', 'memory_enabled'],
            view: <LimitFields {...fields} />,
          },
        ]}
      />
    </>
  )
}

function ModelFields({ form, set, field, fault }: Fields<Form>): ReactNode {
  return (
    <div className="panel grid max-w-2xl gap-4 p-4">
      <ModelField label="Model" none="The default of this server" isDefault {...field('model')} />
      <FallbackFields
        value={form.fallbacks}
        onChange={(fallbacks) => set({ fallbacks })}
        none="None: runs wait until the model’s provider answers again. Up to three; agents can override this list."
        fault={fault}
      />
    </div>
  )
}

/** The output of a run is the last agent's output. */
function SchemaFields({ form, set, field, check }: Fields<Form>): ReactNode {
  const last = form.crew.at(-1)
  return (
    <div className="panel grid gap-4 p-4">
      <ObjectField
        label="Input schema"
        hint="JSON Schema with an object at its root. Empty: any object."
        {...field('inputSchema', 'input_schema')}
      />
      {last !== undefined && (
        <ObjectField
          label="Output schema"
          hint={`JSON Schema with an object at its root, for the answer of the last agent (${last.role}).`}
          value={last.outputSchema}
          onChange={(outputSchema) =>
            set({ crew: [...form.crew.slice(0, -1), { ...last, outputSchema }] })
          }
        />
      )}
      <CheckField label="Offer as a tool to MCP clients" {...check('isTool')} />
      {form.isTool && (
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label="Tool name"
            longest={64}
            isOptional
            hint="Letters, digits, _ and -. By default made of the workflow’s name."
            {...field('toolName', 'expose_mcp.name')}
          />
          <TextField
            label="Tool description"
            longest={2_000}
            isOptional
            hint="Tells models when to call it. Empty: the workflow’s description."
            {...field('toolDescription', 'expose_mcp.description')}
          />
        </div>
      )}
    </div>
  )
}

function LimitFields({ form, field, check }: Fields<Form>): ReactNode {
  return (
    <div className="panel grid gap-4 p-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Max turns per step"
          inputMode="numeric"
          {...field('maxTurns', 'limits.max_turns_per_step')}
        />
        <TextField
          label="Run timeout (seconds)"
          hint="Waiting for people does not count."
          inputMode="numeric"
          {...field('maxSeconds', 'limits.max_run_seconds')}
        />
        <TextField
          label="Max provider outage (hours)"
          hint="Runs wait this long before failing. Waiting does not count towards the other limits."
          inputMode="decimal"
          {...field('maxOutageHours', 'limits.max_outage_seconds')}
        />
        <TextField
          label="Spend limit per run (USD)"
          hint="Empty: no limit."
          inputMode="decimal"
          {...field('maxCost', 'limits.max_cost_usd')}
        />
        {form.maxCost !== '' && (
          <SelectField
            label="At the spend limit"
            {...field('onCost', 'limits.on_cost')}
            options={[
              { value: 'fail', label: 'Fail the run' },
              { value: 'ask', label: 'Ask for approval before the next call' },
            ]}
          />
        )}
      </div>
      <CheckField label="Agents of this crew keep memory between runs" {...check('keepsMemory')} />
    </div>
  )
}
