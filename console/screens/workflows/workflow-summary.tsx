import type { ReactNode } from 'react'
import type { Workflow } from '../../../sdk/generated.ts'
import { Section } from '../../ui/page.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'

/** A workflow for viewers without the permission to change it. */
export function WorkflowSummary({ workflow }: { workflow: Workflow }): ReactNode {
  return (
    <Section title="Crew">
      <ol className="panel divide-y">
        {workflow.crew.map(({ role, systemPrompt, model }, index) => (
          <li key={index} className="px-4 py-3">
            <p className="font-medium">
              {index + 1}. {role}{' '}
              <span className="font-mono text-xs font-normal text-ink-faint">
                {model ?? workflow.model}
              </span>
            </p>
            <div className="mt-1 text-ink-soft">
              <Markdown text={systemPrompt} limit={600} />
            </div>
          </li>
        ))}
      </ol>
    </Section>
  )
}
