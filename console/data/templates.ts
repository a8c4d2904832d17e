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
  /** What has to be connected. */
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
    // The commands are for the terminal.
    needs: needs.replace(/^Needs: /, '').replaceAll(/ \([^)]*\)/g, ''),
    workflow: parse(textOf('workflow.yaml') ?? '') as Template['workflow'],
    schedule: schedule === undefined ? undefined : withoutKeys(parse(schedule)),
  }
}

/** A second one from the same template is another schedule. */
function withoutKeys(schedule: Record<string, unknown>): Template['schedule'] {
  const { key: _, workflow_id: __, ...fields } = schedule
  return fields
}
