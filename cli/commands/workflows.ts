import type { Command } from 'commander'
import type { Muster, Workflow } from '../../sdk/index.ts'
import { connect } from '../connection.ts'
import { shortTime } from '../format.ts'
import { readNamedFile } from '../named-file.ts'
import { fields, table, type Output } from '../output.ts'
import { findWorkflow } from '../workflows/find.ts'
import { applyWorkflow } from '../workflows/apply.ts'

export function addWorkflows(program: Command, output: () => Output): void {
  const workflows = program.command('workflows').description('list, show and apply workflows')

  workflows
    .command('list')
    .description('list the workflows, most recently updated first')
    .action(async (_options: object, command: Command) => {
      const muster = await connect(command)
      const all = await Array.fromAsync(await muster.workflows.list())
      output().result(all, () =>
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
    })

  workflows
    .command('show')
    .description('show a workflow')
    .argument('<workflow>', 'id or exact name')
    .action(async (nameOrId: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const workflow = await findWorkflow(muster, 'show workflow', nameOrId)
      output().result(workflow, () => describe(workflow))
    })

  workflows
    .command('apply')
    .description('make the workflow of a YAML or JSON file, or change the one that has its name')
    .requiredOption('-f, --file <file>', 'fields as the API has them; - for stdin')
    .action(async ({ file }: { file: string }, command: Command) => {
      const source = await readNamedFile('workflow', file)
      const muster: Muster = await connect(command)
      const { workflow, isNew } = await applyWorkflow(muster, source)
      output().result(
        workflow,
        () => `${isNew ? 'Created' : 'Updated'} ${workflow.name} (${workflow.id}).`,
      )
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
