import type { Context } from '../context.ts'
import type { ComparedRun, RunComparison } from '../engine/wire/comparison.ts'
import type { StoredRun } from '../engine/reads/runs.ts'
import type { Step } from '../engine/wire/step.ts'
import { compareTexts } from '../versions/compare-texts.ts'
import { requireRun } from './retrieve.ts'

/** Compares two runs: their inputs, and each step's output and usage. */
export async function compareRuns(ctx: Context, id: string, to: string): Promise<RunComparison> {
  const before = await requireRun(ctx, id)
  const after = await requireRun(ctx, to)
  const orders = [...new Set([...before.steps, ...after.steps].map(({ order }) => order))]
  const outputOf = (run: StoredRun, order: number): string | null =>
    run.steps.find((one) => one.order === order)?.output ?? null
  orders.sort((a, b) => a - b)
  const texts: [string | null, string | null][] = [
    [before.input, after.input],
    [before.output, after.output],
    ...orders.map((order): [string | null, string | null] => [
      outputOf(before, order),
      outputOf(after, order),
    ]),
  ]
  const differing = texts.filter(([old, now]) => old !== now)
  const found = await compareTexts(
    ctx,
    differing.map(([old, now]) => ({ by: 'words', before: old ?? '', after: now ?? '' })),
  )
  const parts = texts.map(([old, now]) => (old === now ? null : (found.shift() ?? null)))
  const [input = null, output = null, ...outputs] = parts
  return {
    before: toSide(before),
    after: toSide(after),
    input,
    output,
    steps: orders.map((order, at) => {
      const [old, now] = [before, after].map(({ steps }) =>
        steps.find((one) => one.order === order),
      )
      return {
        order,
        before: old === undefined ? null : stepSide(old),
        after: now === undefined ? null : stepSide(now),
        output: outputs[at] ?? null,
      }
    }),
  }
}

function toSide(run: StoredRun): ComparedRun {
  const { id, workflow_id, workflow_version, status, error, created_at, steps, waited_ms } = run
  const ranMs = msBetween(run.started_at, run.finished_at)
  return {
    id,
    workflow_id,
    workflow_version,
    status,
    has_warnings: run.warnings.length > 0,
    error,
    created_at,
    tokens_in: run.tokens_in,
    tokens_out: run.tokens_out,
    cost_usd: run.cost_usd,
    calls_without_price: run.calls_without_price,
    duration_ms: ranMs === null ? null : Math.max(0, ranMs - waited_ms),
    tool_calls: steps.reduce((sum, step) => sum + step.tool_calls.length, 0),
  }
}

function stepSide(step: Step): NonNullable<RunComparison['steps'][number]['before']> {
  const { role, model, agent_version, error, reused_from, output_given } = step
  return {
    role,
    model,
    agent_version,
    error,
    reused_from,
    output_given,
    tokens_in: step.tokens_in,
    tokens_out: step.tokens_out,
    cost_usd: step.cost_usd,
    calls_without_price: step.calls_without_price,
    duration_ms: reused_from === null ? msBetween(step.started_at, step.finished_at) : null,
    tools: step.tool_calls.map(({ tool }) => tool),
  }
}

function msBetween(from: Date | null, to: Date | null): number | null {
  return from === null || to === null ? null : to.getTime() - from.getTime()
}
