import type { ReactNode } from 'react'
import { FallbackFields } from '../models/fallback-fields.tsx'
import { ModelField } from '../models/model-field.tsx'
import { CheckField, TextField } from '../ui/field.tsx'
import { ObjectField } from '../ui/object-field.tsx'
import { Section } from '../ui/page.tsx'
import { PromptField } from '../ui/prompt-field.tsx'
import { Capabilities } from './capabilities.tsx'
import type { Form } from './form.ts'

interface Props {
  form: Form
  change: (form: Form) => void
  fault: { param: string; message: string } | undefined
}

/** Everything about an agent that can be changed. */
export function FormView({ form, change, fault }: Props): ReactNode {
  const set = (part: Partial<Form>) => change({ ...form, ...part })
  const field = (name: 'name' | 'role' | 'category' | 'description' | 'maxTokens') => ({
    value: form[name],
    onChange: (value: string) => set({ [name]: value }),
    error: fault?.param === name ? fault.message : undefined,
  })
  return (
    <>
      <Section title="Who it is">
        <div className="panel grid gap-4 p-4 sm:grid-cols-2">
          <TextField label="Name" maxLength={80} required {...field('name')} />
          <TextField
            label="Role"
            hint="Names its steps in runs."
            maxLength={60}
            required
            {...field('role')}
          />
          <TextField label="Category" {...field('category')} />
          <TextField label="What it is for" maxLength={280} {...field('description')} />
          <div className="sm:col-span-2">
            <PromptField
              label="Instructions"
              value={form.systemPrompt}
              onChange={(systemPrompt) => set({ systemPrompt })}
              error={fault?.param === 'systemPrompt' ? fault.message : undefined}
            />
          </div>
          <ModelField
            label="Model"
            value={form.model}
            onChange={(model) => set({ model })}
            none="The workflow’s model"
            error={fault?.param === 'model' ? fault.message : undefined}
          />
          <TextField
            label="Most tokens of a turn"
            hint="256 to 32,000; empty: no limit of its own."
            inputMode="numeric"
            {...field('maxTokens')}
          />
          <div className="sm:col-span-2">
            <FallbackFields
              value={form.fallbacks}
              onChange={(fallbacks) => set({ fallbacks })}
              none="The workflow’s fallbacks are asked, if it has any. A list here takes their place."
              fault={fault}
            />
          </div>
          <div className="sm:col-span-2">
            <ObjectField
              label="Schema of the answer"
              hint="JSON Schema with an object at its root; the agent then answers with such an object."
              value={form.outputSchema}
              onChange={(outputSchema) => set({ outputSchema })}
              error={fault?.param.startsWith('output_schema') ? fault.message : undefined}
            />
          </div>
          <div className="sm:col-span-2">
            <CheckField
              label="Keeps memory between runs"
              checked={form.keepsMemory}
              onChange={(keepsMemory) => set({ keepsMemory })}
            />
          </div>
        </div>
      </Section>
      <Capabilities
        chosen={form.capabilities}
        change={(capabilities) => set({ capabilities })}
        problem={
          fault !== undefined && /^(capabilities|connectors)/.test(fault.param)
            ? fault.message
            : undefined
        }
      />
    </>
  )
}
