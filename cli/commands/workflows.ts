import type { UpdateWorkflow, Workflow } from '../../sdk/index.ts'
import { addApply, findWorkflow } from '../named.ts'
import type { Verbs } from '../noun.ts'
import { clean, fields, oneLine, table } from '../output.ts'

export function addWorkflows(program: Verbs): void {
  const workflows = program.noun('workflows', 'list, show and apply workflows')
  workflows.verb(
    'list',
    'list the workflows, most recently updated first',
    async ({ muster }) => Array.fromAsync(await muster.workflows.list()),
    (all) =>
      table(all, ['id', 'name', 'status', 'crew', 'model', 'updated_at'], {
        crew: ({ crew }) => crew.map(({ role }) => role),
      }),
  )
  workflows.verb(
    'show <workflow>',
    'show a workflow',
    ({ muster }, name = '') => findWorkflow(muster, 'show workflow', name),
    describe,
  )
  addApply(workflows, 'workflow', ({ workflows }) => ({
    list: () => workflows.list(),
    update: (id, body) => workflows.update(id, body),
    // A new workflow is active; the API takes a status with changes only.
    create: async ({ status, ...body }) => {
      const { id } = await workflows.create(body)
      return status === undefined
        ? workflows.retrieve(id)
        : workflows.update(id, { status } as UpdateWorkflow)
    },
  }))
}

function describe(workflow: Workflow): string {
  const crew = workflow.crew.map((entry, order) => {
    const model = entry.model === undefined ? '' : `  (${entry.model})`
    const agent = entry.agentId === undefined ? '' : `  → ${entry.agentId}`
    const prompt = clean(entry.systemPrompt).replaceAll(/^/gm, '   ')
    return `\n${order}. ${oneLine(`${entry.role}${model}${agent}`, 200)}\n${prompt}`
  })
  const first = ['id', 'name', 'description', 'status', 'model'] as const
  const overview = fields(
    workflow,
    [...first, 'human in the loop', 'memory', 'limits', 'warnings', 'updated_at'],
    {
      'human in the loop': ({ human_in_the_loop: { enabled, approvals } }) =>
        enabled ? `on, approvals ${approvals}` : 'off',
      model: ({ model, model_inherited }) =>
        model_inherited ? `${model} (the server's default)` : model,
      warnings: ({ warnings }) => warnings.map(({ message }) => message).join('\n') || undefined,
      memory: ({ memory_enabled }) => (memory_enabled ? 'on' : 'off'),
      limits: ({ limits }) =>
        `${limits.max_turns_per_step} turns a step, ${limits.max_run_seconds}s a run`,
    },
    '–',
  )
  return [overview, ...crew].join('\n')
}
