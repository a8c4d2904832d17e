import type { RunWithSteps } from '../../../sdk/generated.ts'
import { runStates, stateOf } from '../../data/runs/states.ts'
import { formatCost, formatExact } from '../../ui/text/format.ts'

/** A run to hand on: what it was given, what each step did, and what came out. Texts stay as they are. */
export function asMarkdown(run: RunWithSteps, workflow: string, address: string): string {
  const { error, output, files } = run
  return [
    `# ${workflow}`,
    [
      `- Run: [${run.id}](${address})`,
      `- Status: ${runStates[stateOf(run)].word}`,
      `- Triggered: ${formatExact(run.created_at)}`,
      ...(run.finished_at === null ? [] : [`- Ended: ${formatExact(run.finished_at)}`]),
      `- Cost: ${formatCost(run)}`,
      ...files.inputs.map(({ name }) => `- File: ${name}`),
    ].join('\n'),
    '## Input',
    fenced(run.input),
    ...(run.data === null || run.input === JSON.stringify(run.data)
      ? []
      : ['## Data', fenced(JSON.stringify(run.data, null, 2), 'json')]),
    ...run.steps.flatMap((step) => [
      `## Step ${step.order + 1}: ${step.role}`,
      ...step.tool_calls.map(({ tool, status }) => `- \`${tool}\`: ${status}`),
      ...(step.output === null ? [] : [fenced(step.output)]),
      ...(step.error === null ? [] : [`Failed: ${step.error}`]),
    ]),
    ...(output === null || run.finished_at === null ? [] : ['## Output', output]),
    ...(error === null ? [] : ['## Error', error]),
    '',
  ].join('\n\n')
}

/** A fence that is longer than any in the text. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
