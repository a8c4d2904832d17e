import type { Command } from 'commander'
import type { UpdateWorkflow, Workflow } from '../../sdk/index.ts'
import { connect } from '../connection.ts'
import { shortTime } from '../format.ts'
import { applyFile, findWorkflow } from '../named.ts'
import { addNoun } from '../noun.ts'
import { fields, table, type Output } from '../output.ts'

export function addWorkflows(program: Command, output: () => Output): void {
  const { group, verb } = addNoun(program, output, 'workflows', 'list, show and apply workflows')
  verb(
    'list',
    'list the workflows, most recently updated first',
    async ({ muster }) => Array.fromAsync(await muster.workflows.list()),
    (all) =>
      table(
        ['ID', 'NAME', 'STATUS', 'CREW', 'MODEL', 'UPDATED'],
        all.map((workflow) => [
          workflow.id,
          workflow.name,
          workflow.status,
          workflow.crew.map((entry) => entry.role).join(', '),
          workflow.model,
          shortTime(workflow.updated_at),
        ]),
      ),
  )
  verb(
    'show <workflow>',
    'show a workflow',
    ({ muster }, name = '') => findWorkflow(muster, 'show workflow', name),
    describe,
  )

  group
    .command('apply')
    .description('create the workflow of a YAML or JSON file, or update the one that has its name')
    .requiredOption('-f, --file <file>', 'fields as the API has them; - for stdin')
    .action(async ({ file }: { file: string }, command: Command) => {
      const { applied, told } = await applyFile('workflow', file, async () => {
        const { workflows } = await connect(command)
        return {
          list: () => workflows.list(),
          update: (id, body) => workflows.update(id, body),
          // A new workflow is active; the API takes a status with changes only.
          create: async ({ status, ...body }) => {
            const { id } = await workflows.create(body)
            return status === undefined
              ? workflows.retrieve(id)
              : workflows.update(id, { status } as UpdateWorkflow)
          },
        }
      })
      output().result(applied, () => told)
    })
}

function describe(workflow: Workflow): string {
  const { human_in_the_loop: human, limits } = workflow
  const crew = workflow.crew.map((entry, order) => {
    const model = entry.model === undefined ? '' : `  (${entry.model})`
    const agent = entry.agentId === undefined ? '' : `  → ${entry.agentId}`
    return `\n${order}. ${entry.role}${model}${agent}\n${entry.systemPrompt.replaceAll(/^/gm, '   ')}`
  })
  const overview = fields([
    ['id', workflow.id],
    ['name', workflow.name],
    ['description', workflow.description ?? '–'],
    ['status', workflow.status],
    ['model', workflow.model],
    ['human in the loop', human.enabled ? `on, approvals ${human.approvals}` : 'off'],
    ['memory', workflow.memory_enabled ? 'on' : 'off'],
    ['limits', `${limits.max_turns_per_step} turns a step, ${limits.max_run_seconds}s a run`],
    ['updated', shortTime(workflow.updated_at)],
  ])
  return [overview, ...crew].join('\n')
}
