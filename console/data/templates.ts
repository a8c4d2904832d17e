import { parse } from 'yaml'
import type { CreateSchedule, CreateWorkflow } from '../../sdk/generated.ts'

/** The crews that `muster init` copies, as the build finds them. */
const texts = import.meta.glob<string>('../../examples/templates/*/*.{md,yaml}', {
  query: '?raw',
  import: 'default',
  eager: true,
})

export interface Template {
  id: string
  title: string
  /** What it does, in one or two sentences. */
  about: string
  /** Connectors that it needs. */
  needs: string
  workflow: CreateWorkflow & { name: string }
  /** Without the workflow, which has its id once it is created. */
  schedule: Omit<CreateSchedule, 'workflow_id'> | undefined
}

export function readTemplates(): Template[] {
  const folders = new Set(Object.keys(texts).map((path) => path.split('/').at(-2) ?? ''))
  return [...folders].sort().map(readTemplate)
}

function readTemplate(id: string): Template {
  const textOf = (file: string): string | undefined =>
    texts[`../../examples/templates/${id}/${file}`]
  const [heading = '', about = '', needs = ''] = (textOf('README.md') ?? '').split(/\n\n+/)
  const schedule = textOf('schedule.yaml')
  return {
    id,
    title: heading.replace(/^# /, ''),
    about,
    // Lines with commands are for the terminal.
    needs: needs.replace(/^Needs: /, '').replaceAll(/ \([^)]*\)/g, ''),
    workflow: fieldsOf(textOf('workflow.yaml') ?? '') as unknown as Template['workflow'],
    schedule: schedule === undefined ? undefined : fieldsOf(schedule),
  }
}

/** A template's object as the API takes it, without the fields of files. A second schedule from the same template gets its own key. */
function fieldsOf(text: string): Record<string, unknown> {
  const fields = parse(text) as Record<string, unknown>
  const { resource: _, key: __, workflow_id: ___, ...rest } = fields
  return rest
}
