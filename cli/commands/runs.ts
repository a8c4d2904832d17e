import { Option, type Command } from 'commander'
import type { RunWithSteps, RunsListQuery } from '../../sdk/index.ts'
import { exitCodeOf, followThrough } from '../follow.ts'
import { dollars, elapsed, shortTime, tokens } from '../format.ts'
import { limited, take, type Limited } from '../limit.ts'
import { findWorkflow } from '../named.ts'
import { addNoun, given, type Call } from '../noun.ts'
import { bold, clean, dim, fields, oneLine, table, type Output } from '../output.ts'
import { answerWhileFollowing } from '../pending/answer.ts'
import { RunProgress } from '../run-progress.ts'
import { shell } from '../shell.ts'
import { formatTags } from '../tags.ts'

const statuses = ['queued', 'running', 'waiting_input', 'completed', 'failed']

export function addRuns(program: Command, output: () => Output): void {
  const { verb } = addNoun(program, output, 'runs', 'list, show, watch, cancel and retry runs')
  limited(
    verb(
      'list [workflow]',
      'list the runs of a workflow, or of all, newest first',
      async ({ muster, options }: Call<Limited & Pick<RunsListQuery, 'status'>>, name = '') => {
        const status = given({ status: options.status })
        if (name === '')
          return take(options, (page) => muster.runs.list_all({ ...page, ...status }))
        const { id } = await findWorkflow(muster, 'list runs', name)
        return take(options, (page) => muster.runs.list(id, { ...page, ...status }))
      },
      (found) =>
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
    ).addOption(new Option('--status <status>', 'only runs in this status').choices(statuses)),
    50,
  )
  verb(
    'show <run>',
    'show a run with its steps',
    ({ muster }, id = '') => muster.runs.retrieve(id),
    describe,
  )
  verb(
    'watch <run>',
    'follow a run until it ends; with --json its events, one a line, until it ends or waits',
    async ({ muster, out }, id = '') => {
      const answer = answerWhileFollowing(muster, out)
      const run = await followThrough(muster, id, new RunProgress(out), answer, {
        onEvent: (event) => out.isJson && out.jsonLine(event),
      })
      shell().exitCode = exitCodeOf(run)
    },
  )
  verb(
    'cancel <run>',
    'end a run that has not ended',
    ({ muster }, id = '') => muster.runs.cancel(id),
    ({ id, status, error_code: code }) =>
      code === 'cancelled' ? `Cancelled ${id}.` : `Nothing to cancel: ${id} is ${status}.`,
  )
  verb(
    'retry <run>',
    'run a failed run again from the step that failed',
    ({ muster }, id = '') => muster.runs.retry(id),
    (run, id) => `${run.id} retries ${id}. Watch it: muster runs watch ${run.id}`,
  )
}

function describe(run: RunWithSteps): string {
  const overview = fields([
    ['id', run.id],
    ['workflow', run.workflow_id],
    ['status', run.status],
    ['error', run.error],
    ['retry of', run.retry_of],
    ['tags', formatTags(run.tags)],
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
