import { openTools } from '../../connectors/open-tools.ts'
import type { Services } from '../../context.ts'
import { readStepFiles } from '../../files/for-agents/read-step-files.ts'
import { StepFiles } from '../../files/for-agents/step-files.ts'
import { openFileTools } from '../../files/for-agents/open-tools.ts'
import { validatorOf } from '../../json-schema/validator.ts'
import { memorySection } from '../../memory/recall.ts'
import { fixedFor } from '../../policies/fixed.ts'
import type { KnownRules } from '../../policies/read.ts'
import { levelsOf } from '../../policies/rules.ts'
import type { Action } from '../../tools/contract.ts'
import { writeFileAction } from '../../tools/files.ts'
import { agentOf } from '../run/definition.ts'
import { readTurns } from '../journal/ledger.ts'
import type { StepStart } from '../run/step.ts'
import type { Turn } from './conversation.ts'
import { scopeOf } from './freeze.ts'
import type { StepWork } from './run-step.ts'
import type { TakenRun } from './take.ts'
import { createToolbox, withCurrentTools, type OfferedTools } from './toolbox.ts'

/** Texts that people wrote for a step. Memory is not included, because agents write it too. */
export function givenTo({ definition, prompt }: TakenRun, step: StepStart): string[] {
  return [agentOf(definition, step).instructions, prompt]
}

/**
 * Everything that a step works with. A step without files, memory or connectors needs no read, once
 * its tools are stored.
 */
export async function prepareStep(
  {
    services,
    offers,
    knownRules,
  }: { services: Services; offers: OfferedTools; knownRules: KnownRules },
  run: TakenRun,
  step: StepStart,
  input: string,
  storedTurns: number,
): Promise<Omit<StepWork, 'tries' | 'costUsd'>> {
  const { fence, definition, workflowId } = run
  const { humanInTheLoop, limits } = definition
  const agent = agentOf(definition, step)
  const { capabilities, memory, maxTokens, outputSchema, rules } = agent
  const files = mayHaveFiles(run, step)
    ? await readStepFiles(services.database, fence, step.position)
    : []
  // The prompt names the file tools, so their names must not be taken by other tools.
  const fileTools = files.length === 0 ? [] : openFileTools(services, fence)
  const open = async () => [
    ...(await openTools(services, fence.accountId, capabilities)),
    ...fileTools,
  ]
  const tools = capabilities.length === 0 ? fileTools : await open()
  const turns =
    storedTurns === 0 ? [] : ((await readTurns(services.database, fence, step.position)) as Turn[])
  const notes = memorySection(step.memory)
  const site = {
    agent: { id: step.agentId ?? '', role: step.role },
    workflow: { id: workflowId },
    run: { id: fence.runId, tags: run.tags ?? {} },
  }
  const levels = tools.length === 0 ? [] : levelsOf(await knownRules.of(fence.accountId), rules)
  const fixedOf = ({ id: action, inputSchema }: Action): string[] =>
    Object.keys(fixedFor(levels, { ...site, action }, inputSchema, Date.now()).values)
  const box = createToolbox(tools, { memory, humanInTheLoop, fixedOf })
  return {
    step,
    model: step.model,
    fallbacks: agent.fallbacks ?? [],
    instructions: notes === '' ? agent.instructions : `${agent.instructions}\n\n${notes}`,
    input,
    ...(files.length > 0 && { files: new StepFiles(services, fence.accountId, files) }),
    given: givenTo(run, step),
    maxTokens,
    validator: outputSchema === undefined ? undefined : validatorOf(outputSchema),
    box,
    currentBox: async () => (capabilities.length === 0 ? box : withCurrentTools(box, await open())),
    toolsHash: await offers.keep(fence.accountId, box),
    scope: scopeOf(workflowId, agent),
    turns,
    policy: humanInTheLoop,
    limits,
    approved: definition.approved?.runId === fence.runId ? definition.approved : undefined,
    isDoubted: run.isDoubted,
    rules,
    site,
  }
}

/** The run has files, or an earlier step may have written one; others skip the read. */
function mayHaveFiles({ hasFiles, definition }: TakenRun, { position }: StepStart): boolean {
  const before = definition.crew.slice(0, position)
  return hasFiles || before.some(({ capabilities }) => capabilities.includes(writeFileAction))
}
