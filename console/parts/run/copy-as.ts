import type { CreateRun, RunWithSteps } from '../../../sdk/generated.ts'

/** The same run as a command, and as code, without the key. */
export function asCurl(run: RunWithSteps, origin: string): string {
  const body = JSON.stringify(allGivenTo(run)).replaceAll("'", String.raw`'\''`)
  return [
    `curl -sf ${origin}/v1/workflows/${run.workflow_id}/runs \\`,
    `  -H "Authorization: Bearer $MUSTER_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
  ].join('\n')
}

export function asCode(run: RunWithSteps, origin: string): string {
  const given = JSON.stringify(allGivenTo(run), null, 2)
  return [
    `import { Muster } from '@muster-run/sdk'`,
    '',
    `const muster = new Muster({ apiKey: process.env.MUSTER_API_KEY!, baseUrl: '${origin}' })`,
    `const run = await muster.runs.create('${run.workflow_id}', ${given})`,
    `const done = await muster.runs.wait(run.id)`,
    `console.log(done.status, done.output)`,
  ].join('\n')
}

/** The body of the same run, without deleted files. */
export function allGivenTo(run: RunWithSteps): CreateRun {
  const files = run.files.inputs.filter(({ deleted }) => !deleted).map(({ id }) => id)
  const { tags } = run
  return {
    ...givenTo(run),
    ...(files.length > 0 && { files }),
    ...(Object.keys(tags).length > 0 && { tags }),
  }
}

/** The input of a run; left out if it is just the data as JSON. */
export function givenTo({ input, data }: Pick<RunWithSteps, 'input' | 'data'>): CreateRun {
  if (data === null) return { input }
  return input === JSON.stringify(data) ? { data } : { input, data }
}
