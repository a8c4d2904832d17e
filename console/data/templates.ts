import { parse } from 'yaml'
import { findPlaceholders } from '../../server/workflows/placeholders.ts'
import type { CreateSchedule, CreateWorkflow } from '../../sdk/generated.ts'

/** The templates of `muster init`, included in the build. */
const texts = import.meta.glob<string>('../../examples/templates/*/*.{md,yaml}', {
  query: '?raw',
  import: 'default',
  eager: true,
})

export interface Template {
  id: string
  title: string
  /** Its purpose, in one or two sentences. */
  about: string
  /** Required connectors. */
  needs: string
  workflow: CreateWorkflow & { name: string }
  /** Without the workflow, whose id is known once it is created. */
  schedule: Omit<CreateSchedule, 'workflow_id'> | undefined
}

/** What a person has to fill in, such as `OWNER/REPOSITORY`. */
export function blanksOf({ workflow, schedule }: Template): string[] {
  return findPlaceholders([workflow, schedule])
}

/** A template with what was filled in; a blank that was left stays, and its workflow has a warning. */
export function fillIn(template: Template, filled: Record<string, string>): Template {
  const fill = (_: string, value: unknown): unknown =>
    typeof value === 'string'
      ? Object.entries(filled).reduce(
          (text, [blank, given]) =>
            given.trim() === '' ? text : text.replaceAll(blank, () => given.trim()),
          value,
        )
      : value
  return JSON.parse(JSON.stringify(template, fill)) as Template
}

export function readTemplates(): Template[] {
  const folders = new Set(Object.keys(texts).map((path) => path.split('/').at(-2) ?? ''))
  return [...folders].sort().map(readTemplate)
}

function readTemplate(id: string): Template {
  const readText = (file: string): string | undefined =>
    texts[`../../examples/templates/${id}/${file}`]
  const [heading = '', about = '', needs = ''] = (readText('README.md') ?? '').split(/\n\n+/)
  const schedule = readText('schedule.yaml')
  return {
    id,
    title: heading.replace(/^# /, ''),
    about,
    // Removes the commands for the terminal.
    needs: needs.replace(/^Needs: /, '').replaceAll(/ \([^)]*\)/g, ''),
    workflow: fieldsOf(readText('workflow.yaml') ?? '') as unknown as Template['workflow'],
    schedule: schedule === undefined ? undefined : fieldsOf(schedule),
  }
}

/**
 * A template's object as the API expects it, without fields that only files have. A second schedule
 * from the same template gets its own key.
 */
function fieldsOf(text: string): Record<string, unknown> {
  const fields = parse(text) as Record<string, unknown>
  const { resource: _, key: __, workflow_id: ___, ...rest } = fields
  return rest
}
