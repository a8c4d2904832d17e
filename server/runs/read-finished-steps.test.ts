import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { complete, echo, startTestApp, type ModelAnswer } from '../../test/test-app.ts'
import { send } from '../../rig/scripted-server.ts'
import { readFinishedSteps, type FinishedStep } from './read-finished-steps.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

describe('finished steps', () => {
  let answer: ModelAnswer = echo
  let accountId: string
  const app = fixture(() => startTestApp({ answer: (...args) => answer(...args) }))
  prepare(async () => {
    accountId = app.accountId
  })

  async function createWorkflow(prompt = 'Plan.'): Promise<string> {
    const crew = [
      { role: 'planner', systemPrompt: prompt },
      { role: 'writer', systemPrompt: 'Write.' },
    ]
    return await app.createWorkflow({ crew })
  }
  const run = async (workflowId: string, input: string) => app.run(workflowId, input)
  async function read(workflowId: string, role?: string, account = accountId) {
    const batches = await Array.fromAsync(
      readFinishedSteps(app.database, account, { workflowId, role }),
    )
    return batches.flat()
  }

  it('come newest run first, with the instructions of that time, over many reads', async () => {
    const workflowId = await createWorkflow()
    for (let number = 0; number < 30; number++) await run(workflowId, `input ${number}`)
    const crew = [{ role: 'writer', systemPrompt: 'Write anew.' }]
    await app.call('PATCH', `/v1/workflows/${workflowId}`, { body: { crew } })
    await run(workflowId, 'last')
    const all = await read(workflowId)
    assert.equal(all.length, 61)
    assert.deepEqual(all.slice(0, 3), [
      { role: 'writer', instructions: 'Write anew.', input: 'last', output: 'echo: last' },
      { role: 'planner', instructions: 'Plan.', input: 'input 29', output: 'echo: input 29' },
      {
        role: 'writer',
        instructions: 'Write.',
        input: 'input 29\n\n## Output of planner (step 0)\n\necho: input 29',
        output: 'echo: echo: input 29',
      },
    ] satisfies FinishedStep[])
    assert.deepEqual(await read(workflowId), all)
    const planned = await read(workflowId, 'planner')
    assert.equal(planned.length, 30)
    assert.ok(planned.every(({ role }) => role === 'planner'))
    assert.deepEqual(await read(workflowId, undefined, 'acc_other'), [])
  })

  it('have the input as their agents read it, with the data of the run', async () => {
    answer = echo
    const workflowId = await createWorkflow()
    const body = { input: 'Read this.', data: { b: 1, a: [2] } }
    const ended = await app.run(workflowId, body)
    assert.deepEqual(pluck(await read(workflowId), 'input'), pluck(ended.steps, 'input'))
  })

  it('are those of completed runs only, and what retries took over comes once', async () => {
    const workflowId = await createWorkflow('Plan first.')
    answer = (request, response) =>
      request.messages[0]?.content === 'Write.'
        ? send(response, { error: { message: 'no' } }, 400)
        : echo(request, response)
    const failed = await run(workflowId, 'x')
    assert.equal(failed.status, 'failed')
    assert.deepEqual(await read(workflowId), [])
    answer = (_request, response) => complete(response, 'written')
    for (let number = 0; number < 2; number++) {
      const data = await app.post(`/v1/runs/${failed.id}/retry`)
      assert.equal((await app.rest(data.id)).status, 'completed')
    }
    const steps = await read(workflowId)
    assert.deepEqual(pluck(steps, 'role', 'instructions', 'output'), [
      ['planner', 'Plan first.', 'echo: x'],
      ['writer', 'Write.', 'written'],
      ['writer', 'Write.', 'written'],
    ])
  })
})
