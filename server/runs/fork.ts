import { readAgentsForRuns } from '../agents/agents.ts'
import type { Context } from '../context.ts'
import { findInexact } from '../exact-json.ts'
import { cannot } from '../errors.ts'
import type { Continuation } from '../engine/journal/continue.ts'
import { readFrozen, readMadeCalls } from '../engine/reads/forks.ts'
import { findRun, type StoredRun } from '../engine/reads/runs.ts'
import {
  type Definition,
  type HumanInTheLoop,
  freezeRules,
  type FrozenRules,
} from '../engine/run/definition.ts'
import { judgeCall } from '../engine/run/ledger.ts'
import { isIdle } from '../engine/run/run.ts'
import type { ForkPreview, ForkRun } from '../engine/wire/fork.ts'
import type { Run } from '../engine/wire/run.ts'
import type { Step } from '../engine/wire/step.ts'
import { checkValue } from '../json-schema/schemas.ts'
import { readPolicies } from '../policies/read.ts'
import { judgeByRules, levelsOf } from '../policies/rules.ts'
import { evaluateConditions } from '../policies/evaluate-conditions.ts'
import { checkData, checkDataAgainst } from '../workflows/check-data.ts'
import type { CrewEntry, Workflow } from '../workflows/schema.ts'
import { requireWorkflowVersion } from '../workflows/versions.ts'
import { requireWorkflow } from '../workflows/workflows.ts'
import { continueRun } from './continue.ts'
import { requireRun } from './retrieve.ts'
import { isOf } from './retry.ts'
import { boundedData } from './trigger.ts'

/**
 * Creates a run that copies the steps of an idle run before a given one, with replaced outputs if
 * given, and executes the rest: with the original's frozen definition, or with the current
 * workflow. No tool calls of the executed steps are copied, so no action of the original is
 * repeated silently: the agents propose their calls again.
 */
export async function forkRun(
  ctx: Context,
  id: string,
  newRunId: string,
  input: ForkRun,
): Promise<Run> {
  // The run may exist from a crashed request, whatever happened to the workflow since.
  const existing = await findRun(ctx.database, ctx.accountId, newRunId)
  if (existing !== undefined) return existing
  const { original, frozen } = await readOriginal(ctx, id, input)
  const data = dataOf(ctx, input)
  if (data !== undefined) await checkForkedData(ctx, original, frozen !== undefined, data)
  return continueRun(ctx, original, newRunId, async (_, workflow) => ({
    steps: input.from_step,
    given: await givenSteps(ctx, original, input, { frozen, workflow }),
    ...inputOf(input, original, data),
    data,
    tags: input.tags,
    fork: { isFrozen: frozen !== undefined },
    audit: { forked_from: id, from_step: input.from_step },
  }))
}

/** Maximum actions in a preview. */
const maxActions = 100

/** What a fork would execute again. */
export async function previewFork(ctx: Context, id: string, input: ForkRun): Promise<ForkPreview> {
  const { original, frozen } = await readOriginal(ctx, id, input)
  const workflow = await requireWorkflow(ctx, original.workflow_id)
  await givenSteps(ctx, original, input, { frozen, workflow })
  const from = input.from_step
  const made = await readMadeCalls(
    ctx.reads,
    { accountId: ctx.accountId, runId: id },
    from,
    maxActions,
  )
  const policy: HumanInTheLoop = frozen?.humanInTheLoop ?? workflow.human_in_the_loop
  const { approvals_floor: floor, rules } = await readPolicies(ctx.reads, ctx.accountId)
  const tags = input.tags ?? original.tags
  const frozenRules = await rulesOf(ctx, { frozen, workflow })
  const now = Date.now()
  const cases = made.map(({ tool, input: args, agentId, role, position }) => ({
    levels: levelsOf(rules, frozenRules[position]),
    facts: {
      action: tool,
      args: (args ?? {}) as Record<string, unknown>,
      agent: { id: agentId ?? '', role },
      workflow: { id: original.workflow_id },
      // The fork has no id yet.
      run: { id: '', tags },
    },
    hasAllArguments: true,
  }))
  const evaluated = await evaluateConditions(ctx, cases, now)
  const decisions = cases.map(
    ({ facts }, at) => judgeByRules(evaluated[at] ?? [], facts, now)?.decision,
  )
  return {
    reused_steps: from,
    executed_steps: rolesOf({ frozen, workflow }).slice(from),
    workflow_version: frozen === undefined ? workflow.version : original.workflow_version,
    actions: made.map((call, at) => {
      const { id: callId, position, role, tool, status } = call
      const judged = { tool, sensitive: true }
      const outcome = outcomes[judgeCall(judged, policy, floor, decisions[at])]
      return { id: callId, step_order: position, role, tool, input: call.input, status, outcome }
    }),
  }
}

/** The agents' rules, by position. */
async function rulesOf(
  { reads, accountId }: Context,
  { frozen, workflow }: Executed,
): Promise<(FrozenRules | undefined)[]> {
  if (frozen !== undefined) return frozen.crew.map(({ rules }) => rules)
  const linked = workflow.crew.flatMap(({ agentId: id }) =>
    id === undefined ? [] : { accountId, id },
  )
  const agents = await readAgentsForRuns(reads, linked)
  return workflow.crew.map(({ agentId, rules }) =>
    freezeRules(agents.find(({ id }) => id === agentId)?.rules, rules),
  )
}

const outcomes = { execute: 'done_again', ask: 'asks_again', refuse: 'refused' } as const

/** Reads the run, and its frozen definition if the fork executes that one. */
async function readOriginal(
  ctx: Context,
  id: string,
  { from_step: from, definition = 'frozen' }: ForkRun,
): Promise<{ original: StoredRun; frozen: Definition | undefined }> {
  const original = await requireRun(ctx, id)
  if (!isIdle(original.status)) {
    throw cannot(
      ctx,
      'run_not_at_rest',
      `it is ${original.status}, expected one that has ended or waits`,
    )
  }
  const key = { accountId: ctx.accountId, runId: id }
  const frozen = definition === 'frozen' ? await readFrozen(ctx.reads, key) : undefined
  const length = frozen?.crew.length
  if (length !== undefined && from >= length) throw noStep(ctx, from, length)
  return { original, frozen }
}

interface Executed {
  frozen: Definition | undefined
  workflow: Workflow
}

function rolesOf({ frozen, workflow }: Executed): string[] {
  return (frozen?.crew ?? workflow.crew).map(({ role }) => role)
}

/** The steps whose outputs are given. Throws if the output of an earlier step is missing. */
async function givenSteps(
  ctx: Context,
  original: StoredRun,
  { from_step: from, outputs = {} }: ForkRun,
  executed: Executed,
): Promise<NonNullable<Continuation['given']>> {
  const { frozen, workflow } = executed
  const roles = rolesOf(executed)
  if (from >= roles.length) throw noStep(ctx, from, roles.length)
  const stray = Object.keys(outputs).find((key) => !/^\d$/.test(key) || Number(key) >= from)
  if (stray !== undefined) {
    const why = `outputs has ${stray}, expected the order of a step before from_step, ${from}`
    throw cannot(ctx, 'invalid_value', why, { param: `outputs.${stray}`.slice(0, 100) })
  }
  const given: NonNullable<Continuation['given']> = []
  for (const [position, role] of roles.slice(0, from).entries()) {
    const step = original.steps.find(({ order }) => order === position)
    const output = outputs[String(position)]
    const hasOutput = step !== undefined && step.output !== null
    if (output === undefined && !hasOutput) {
      const why = `step ${position} has no output, expected one in outputs, or an earlier from_step`
      throw cannot(ctx, 'invalid_value', why, { param: 'outputs' })
    }
    if (frozen === undefined && step !== undefined && output === undefined) {
      checkCrew(ctx, step, workflow.crew[position])
    }
    if (output === undefined) continue
    const entry = frozen?.crew[position]
    given.push({
      position,
      role: step?.role ?? role,
      model: step?.model ?? entry?.model ?? workflow.model,
      agentId: step?.agent_id ?? entry?.agentId ?? null,
      output,
      outputJson: await objectOf(ctx, output, position, schemaOf(executed, position)),
      reusedFrom: hasOutput ? (step.reused_from ?? original.id) : null,
    })
  }
  return given
}

function checkCrew(ctx: Context, step: Step, entry: CrewEntry | undefined): void {
  if (isOf(step, entry)) return
  const why = `the crew has changed at step ${step.order}: give its output in outputs, or fork with definition frozen`
  throw cannot(ctx, 'crew_changed', why)
}

function schemaOf({ frozen, workflow }: Executed, position: number): string | undefined {
  if (frozen !== undefined) return frozen.crew[position]?.outputSchema
  const schema = workflow.crew[position]?.output_schema
  return schema == null ? undefined : JSON.stringify(schema)
}

/** If a step has structured output, the given output must be an object that fits its schema. */
async function objectOf(
  ctx: Context,
  output: string,
  position: number,
  schema: string | undefined,
): Promise<string | undefined> {
  if (schema === undefined) return undefined
  const param = `outputs.${position}`
  const fail = (why: string): never => {
    throw cannot(
      ctx,
      'invalid_data',
      `${param} does not fit the output_schema of its step: ${why}`,
      { param },
    )
  }
  let value: unknown
  try {
    value = JSON.parse(output)
  } catch {
    return fail('it is no JSON')
  }
  const inexact = findInexact(output)
  if (inexact !== undefined) return fail(`the number ${inexact} is too large to be kept exactly`)
  const problem = await checkValue(ctx, schema, value, param)
  return problem === undefined ? output : fail(problem.why)
}

function noStep(ctx: Context, from: number, length: number): Error {
  const why = `from_step is ${from}, but the crew has ${length} steps, from 0`
  return cannot(ctx, 'invalid_value', why, { param: 'from_step' })
}

/** Undefined to keep the original's data. */
function dataOf(ctx: Context, { data }: ForkRun): Run['data'] | undefined {
  return data === undefined ? undefined : boundedData(ctx, data)
}

/** The input; if the original's input was its data as text, the new data's text. */
function inputOf(
  { input }: ForkRun,
  original: StoredRun,
  data: Run['data'] | undefined,
): { input?: string } {
  if (input !== undefined) return { input }
  const isText = original.data !== null && original.input === JSON.stringify(original.data)
  return isText && data !== undefined && data !== null ? { input: JSON.stringify(data) } : {}
}

/** Checks the data against the schema of the version that the fork executes. */
async function checkForkedData(
  ctx: Context,
  { workflow_id: workflowId, workflow_version: version }: StoredRun,
  isFrozen: boolean,
  data: Run['data'],
): Promise<void> {
  if (!isFrozen || version === null) {
    await checkData(ctx, workflowId, data)
    return
  }
  const { input_schema: schema } = await requireWorkflowVersion(ctx, workflowId, version)
  if (schema !== null) await checkDataAgainst(ctx, JSON.stringify(schema), data)
}
