import type { RunWithSteps } from '../../sdk/generated.ts'

/** The same run as a command, and as code. The key stays out of both. */
export function asCurl({ workflow_id: workflowId, input }: RunWithSteps, origin: string): string {
  const body = JSON.stringify({ input }).replaceAll("'", String.raw`'\''`)
  return [
    `curl -sf ${origin}/v1/workflows/${workflowId}/runs \\`,
    `  -H "Authorization: Bearer $MUSTER_API_KEY" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d '${body}'`,
  ].join('\n')
}

export function asCode({ workflow_id: workflowId, input }: RunWithSteps, origin: string): string {
  return [
    `import { Muster } from '@muster-run/sdk'`,
    '',
    `const muster = new Muster({ apiKey: process.env.MUSTER_API_KEY!, baseUrl: '${origin}' })`,
    `const run = await muster.runs.create('${workflowId}', { input: ${JSON.stringify(input)} })`,
    `const done = await muster.runs.wait(run.id)`,
    `console.log(done.status, done.output)`,
  ].join('\n')
}
