import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { FallbackFields } from '../../parts/models/fallback-fields.tsx'
import { ModelField } from '../../parts/models/model-field.tsx'
import { CheckField, TextField } from '../../ui/form/field.tsx'
import type { Fields } from '../../ui/form/fields.ts'
import { ObjectField } from '../../ui/form/object-field.tsx'
import { Section } from '../../ui/page.tsx'
import { PromptField } from '../../ui/form/prompt-field.tsx'
import { CallerTools } from '../../parts/agents/caller-tools.tsx'
import { Capabilities } from '../../parts/agents/capabilities.tsx'
import type { Form } from '../../parts/agents/form.ts'
import { FoldedRules } from '../../parts/rules/rules-field.tsx'

/** The form of an agent. */
export function FormView({ form, set, field, check, fault }: Fields<Form>): ReactNode {
  const { agentId } = useParams({ strict: false })
  const where = { level: 'agent', ...(agentId !== undefined && { agent_id: agentId }) } as const
  return (
    <>
      <Section title="Identity">
        <div className="panel grid gap-4 p-4 sm:grid-cols-2">
          <TextField label="Name" longest={80} required {...field('name')} />
          <TextField
            label="Role"
            hint="Name of its steps in runs."
            longest={60}
            required
            {...field('role')}
          />
          <TextField label="Category" {...field('category')} />
          <TextField label="Description" longest={280} {...field('description')} />
          <div className="sm:col-span-2">
            <PromptField label="Instructions" {...field('systemPrompt')} />
          </div>
          <ModelField label="Model" none="The workflow’s model" {...field('model')} />
          <TextField
            label="Max tokens per turn"
            hint="256 to 32,000. Empty: no limit."
            inputMode="numeric"
            {...field('maxTokens')}
          />
          <div className="sm:col-span-2">
            <FallbackFields
              value={form.fallbacks}
              onChange={(fallbacks) => set({ fallbacks })}
              none="None: the fallback models of the workflow are used. A list here overrides them."
              fault={fault}
            />
          </div>
          <div className="sm:col-span-2">
            <ObjectField
              label="Output schema"
              hint="JSON Schema of the output, with an object at its root."
              {...field('outputSchema', 'output_schema')}
            />
          </div>
          <div className="sm:col-span-2">
            <CheckField label="Keeps memory between runs" {...check('keepsMemory')} />
          </div>
        </div>
      </Section>
      <Section title="Tools">
        <Capabilities
          chosen={form.capabilities}
          change={(capabilities) => set({ capabilities })}
          fault={fault}
        />
        <div className="panel mt-4 grid gap-4 p-4">
          <CallerTools {...field('tools')} />
          <FoldedRules {...field('rules')} where={where} />
        </div>
      </Section>
    </>
  )
}
