import { Option, type Command } from 'commander'
import type { RunWithSteps, RunsListQuery } from '../../sdk/index.ts'
import { connect } from '../connection.ts'
import { createView, exitCodeOf, followThrough } from '../follow.ts'
import { dollars, elapsed, shortTime, tokens } from '../format.ts'
import { pageSize, take, toLimit } from '../limit.ts'
import { bold, clean, dim, fields, oneLine, table, type Output } from '../output.ts'
import { answerWhileFollowing } from '../pending/answer.ts'
import { findWorkflow } from '../workflows/find.ts'
import { shell } from '../shell.ts'

const statuses = ['queued', 'running', 'waiting_input', 'completed', 'failed']

export function addRuns(program: Command, output: () => Output): void {
  const runs = program.command('runs').description('list, show, watch, cancel and retry runs')

  runs
    .command('list')
    .description('list the runs of a workflow, newest first')
    .argument('<workflow>', 'id or exact name')
    .addOption(new Option('--status <status>', 'only runs in this status').choices(statuses))
    .option('--limit <number>', 'at most so many, 1 to 1000', toLimit, 50)
    .action(
      async (
        name: string,
        { status, limit }: { status?: RunsListQuery['status']; limit: number },
        command: Command,
      ) => {
        const muster = await connect(command)
        const workflow = await findWorkflow(muster, 'list runs', name)
        const page = await muster.runs.list(workflow.id, {
          limit: pageSize(limit),
          ...(status === undefined ? {} : { status }),
        })
        const found = await take(page, limit)
        output().result(found, () =>
          table(
            ['ID', 'STATUS', 'CREATED', 'TIME', 'STEPS', 'TOKENS', 'COST', 'INPUT'],
            found.map((run) => [
              run.id,
              run.status,
              shortTime(run.created_at),
              elapsed(run.started_at, run.finished_at),
              String(run.total_steps),
              `${run.tokens_in}→${run.tokens_out}`,
              dollars(run.cost_usd),
              oneLine(run.input, 40),
            ]),
          ),
        )
      },
    )

  runs
    .command('show')
    .description('show a run with its steps')
    .argument('<run>', 'id of the run')
    .action(async (id: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const run = await muster.runs.retrieve(id)
      output().result(run, () => describe(run))
    })

  runs
    .command('watch')
    .description(
      'follow a run until it ends; with --json its events, one a line, until it ends or waits',
    )
    .argument('<run>', 'id of the run')
    .action(async (id: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const out = output()
      const answer = answerWhileFollowing(muster, out)
      const run = await followThrough(muster, id, createView(out), answer, {
        onEvent: (event) => out.isJson && out.jsonLine(event),
      })
      shell().exitCode = exitCodeOf(run)
    })

  runs
    .command('cancel')
    .description('end a run that has not ended')
    .argument('<run>', 'id of the run')
    .action(async (id: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const run = await muster.runs.cancel(id)
      output().result(run, () =>
        run.error_code === 'cancelled'
          ? `Cancelled ${run.id}.`
          : `Nothing to cancel: ${run.id} is ${run.status}.`,
      )
    })

  runs
    .command('retry')
    .description('run a failed run again from the step that failed')
    .argument('<run>', 'id of the run')
    .action(async (id: string, _options: object, command: Command) => {
      const muster = await connect(command)
      const run = await muster.runs.retry(id)
      output().result(run, () => `${run.id} retries ${id}. Watch it: muster runs watch ${run.id}`)
    })
}

function describe(run: RunWithSteps): string {
  const overview = fields([
    ['id', run.id],
    ['workflow', run.workflow_id],
    ['status', run.status],
    ...(run.error === null ? [] : [['error', run.error] as [string, string]]),
    ...(run.retry_of === null ? [] : [['retry of', run.retry_of] as [string, string]]),
    ['created', shortTime(run.created_at)],
    ['time', elapsed(run.started_at, run.finished_at)],
    ['used', `${tokens(run.tokens_in, run.tokens_out)}, ${dollars(run.cost_usd)}`],
  ])
  const steps = run.steps.map((step) => {
    const facts = [
      step.model,
      elapsed(step.started_at, step.finished_at),
      tokens(step.tokens_in, step.tokens_out),
      dollars(step.cost_usd),
    ]
    const heading = `${bold(`${step.order}. ${clean(step.role)}`)}  ${dim(facts.join('  '), shell().stdout)}`
    return `\n${heading}\n${clean(step.output ?? step.error ?? '…')}`
  })
  return [overview, ...steps].join('\n')
}
