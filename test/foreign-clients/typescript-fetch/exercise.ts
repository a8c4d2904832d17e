import { Configuration, ResponseError, RunsApi, WorkflowsApi } from './generated/index.ts'

/** Creates a workflow, triggers a run and reads it; returns what the test compares. */
export async function exercise(service: { baseUrl: string; apiKey: string }): Promise<object> {
  const { baseUrl: basePath, apiKey: accessToken } = service
  const configuration = new Configuration({ basePath, accessToken })
  const workflows = new WorkflowsApi(configuration)
  const runs = new RunsApi(configuration)
  const crew = [{ role: 'r', systemPrompt: 's' }]
  const workflow = await workflows.workflowsCreate({ createWorkflow: { name: 'w', crew } })
  const started = await runs.runsCreate({
    id: workflow.data.id,
    createRun: { input: 'from typescript-fetch' },
    idempotencyKey: 'typescript-fetch',
  })
  const { data } = await runs.runsRetrieve({ id: started.data.id, wait: 20 })
  const refused = await runs.runsRetrieve({ id: 'run_x' }).catch((error: unknown) => error)
  if (!(refused instanceof ResponseError)) throw new Error('no run run_x was expected')
  return {
    status: data.status,
    output: data.output,
    isTime: data.createdAt instanceof Date,
    refused: (await refused.response.json()).error.code,
  }
}
