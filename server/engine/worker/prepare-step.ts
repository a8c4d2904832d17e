import { openTools } from '../../connectors/open-tools.ts'
import type { Services } from '../../context.ts'
import { readStepFiles } from '../../files/for-agents/read-step-files.ts'
import { StepFiles } from '../../files/for-agents/step-files.ts'
import { openFileTools } from '../../files/for-agents/open-tools.ts'
import { validatorOf } from '../../json-schema/validator.ts'
import { memorySection } from '../../memory/prompt-section.ts'
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
import { createToolbox, withToolsOfNow, type OfferedTools } from './toolbox.ts'

/** What people wrote for a step. Memory is not among it: agents write that too. */
export function givenTo({ definition, prompt }: TakenRun, step: StepStart): string[] {
  return [agentOf(definition, step).instructions, prompt]
}

/** Everything that a step works with; a plain one needs nothing of the database, once its tools are kept. */
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
  // The prompt names them; nothing else takes their names.
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
    reopen: async () => (capabilities.length === 0 ? box : withToolsOfNow(box, await open())),
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

/** Those of the run, or written before by one who may: runs without any read nothing. */
function mayHaveFiles({ hasFiles, definition }: TakenRun, { position }: StepStart): boolean {
  const before = definition.crew.slice(0, position)
  return hasFiles || before.some(({ capabilities }) => capabilities.includes(writeFileAction))
}
