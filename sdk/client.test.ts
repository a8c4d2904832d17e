import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp, complete, echo } from '../test/test-app.ts'
import { Muster, MusterError, Page, type RunEvent } from './index.ts'
import { prepare, fixture } from '../test/fixture.ts'
import { pluck } from '../test/pluck.ts'

describe('the SDK with a real service', () => {
  let muster: Muster
  /** Model answers that the test holds back. */
  const held: (() => void)[] = []

  const app = fixture(() =>
    startTestApp({
      answer: (request, response) => {
        const prompt = request.messages.at(-1)?.content ?? ''
        if (prompt.includes('fail')) {
          response.writeHead(400).end('{"error":{"message":"no"}}')
        } else if (prompt.includes('hold')) {
          held.push(() => complete(response, 'held back'))
        } else echo(request, response)
      },
    }),
  )
  prepare(async () => {
    muster = new Muster({ apiKey: app.key, baseUrl: `${app.url}/` })
  })

  it('makes, reads, changes and deletes a workflow', async () => {
    const made = await muster.workflows.create({ name: 'A' })
    assert.deepEqual(pluck(made.crew, 'role'), ['planner', 'writer'])
    const changed = await muster.workflows.update(made.id, { description: 'changed' })
    assert.equal(changed.description, 'changed')
    assert.deepEqual(await muster.workflows.retrieve(made.id), changed)
    assert.deepEqual(await muster.workflows.delete(made.id), { id: made.id, deleted: true })
    await assert.rejects(muster.workflows.retrieve(made.id), { status: 404, code: 'not_found' })
  })

  it('runs, waits, and reads the steps', async () => {
    const { id } = await muster.workflows.create({ name: 'B' })
    const { id: runId, status } = await muster.runs.create(id, { input: 'one\ntwo' })
    assert.equal(status, 'queued')
    const run = await muster.runs.wait(runId)
    assert.equal(run.status, 'completed')
    assert.equal(run.steps.length, 2)
    assert.match(run.output ?? '', /^echo: /)
    assert.deepEqual(await muster.runs.retrieve(runId), run)
  })

  it('streams the events of a run, all of them or those after one', async () => {
    const { id } = await muster.workflows.create({ name: 'C' })
    const { id: runId } = await muster.runs.create(id, { input: 'one' })
    const events = await Array.fromAsync(muster.runs.stream(runId))
    const expected = ['queued', 'started', 'completed'].map((word) => `run.${word}`)
    const types = pluck(events, 'type')
    assert.deepEqual(
      types.filter((type) => type.startsWith('run.')),
      expected,
    )
    assert.deepEqual(
      pluck(events, 'sequence'),
      events.map((_, index) => index + 1),
    )
    const rest = await Array.fromAsync(muster.runs.stream(runId, { after: 3 }))
    assert.deepEqual(rest, events.slice(3))
    assert.deepEqual(await Array.fromAsync(muster.runs.stream(runId, { after: events.length })), [])
  })

  it('gives up waiting when the time is over, and stops when it is told to', async () => {
    const { id } = await muster.workflows.create({ name: 'D' })
    const { id: runId } = await muster.runs.create(id, { input: 'hold' })
    await assert.rejects(muster.runs.wait(runId, { timeoutMs: 50 }), { code: 'timeout', status: 0 })

    const controller = new AbortController()
    const seen: RunEvent[] = []
    const streaming = (async () => {
      for await (const event of muster.runs.stream(runId, { signal: controller.signal })) {
        seen.push(event)
        if (event.type === 'step.started') controller.abort(new Error('enough'))
      }
    })()
    await assert.rejects(streaming, { message: 'enough' })
    assert.equal(seen.at(-1)?.type, 'step.started')
    await assert.rejects(muster.runs.wait(runId, { signal: controller.signal }), {
      message: 'enough',
    })

    const cancelled = await muster.runs.cancel(runId)
    assert.equal(cancelled.error_code, 'cancelled')
    for (const answer of held.splice(0)) answer()
  })

  it('retries a failed run as a new one', async () => {
    const { id } = await muster.workflows.create({ name: 'E' })
    const failed = await muster.runs.wait((await muster.runs.create(id, { input: 'fail' })).id)
    assert.equal(failed.error_code, 'step_failed')
    const again = await muster.runs.retry(failed.id)
    assert.equal(again.retry_of, failed.id)
    await muster.runs.wait(again.id)
  })

  it('walks over the pages of a list', async () => {
    const { id } = await muster.workflows.create({ name: 'F' })
    const ids: string[] = []
    for (const input of ['1', '2', '3']) ids.unshift((await muster.runs.create(id, { input })).id)
    const page = await muster.runs.list(id, { limit: 2 })
    assert.ok(page instanceof Page && Array.isArray(page))
    assert.deepEqual(
      page.map((run) => run.id),
      ids.slice(0, 2),
    )
    assert.equal(page.map((run) => run.id).constructor, Array)
    const next = await page.next()
    assert.deepEqual([next?.[0]?.id, next?.length, next?.hasNext], [ids[2], 1, false])
    assert.equal(await next?.next(), undefined)
    assert.deepEqual(
      (await Array.fromAsync(page)).map((run) => run.id),
      ids,
    )
    await Promise.all(ids.map((runId) => muster.runs.wait(runId)))
    const completed = await muster.runs.list(id, { status: 'completed' })
    assert.equal(completed.length, 3)
  })

  it('tells who the key is and which models there are, and makes keys', async () => {
    assert.equal((await muster.account.retrieve()).name, 'default')
    assert.ok((await muster.models.list()).some((model) => model.id === 'muster/demo'))
    const key = await muster.api_keys.create({ name: 'reader', role: 'viewer' })
    const reader = new Muster({ apiKey: key.key, baseUrl: app.url })
    await assert.rejects(reader.workflows.create({ name: 'G' }), {
      status: 403,
      type: 'forbidden',
      code: 'role_required',
    })
    await muster.api_keys.delete(key.id)
    await assert.rejects(reader.workflows.list(), { status: 401, code: 'invalid_api_key' })
  })

  it('passes on what the service says of a mistake', async () => {
    const error = await muster.workflows
      .create({ name: 'H', crew: [{ role: 'r'.repeat(61), systemPrompt: 'p' }] })
      .then(
        () => undefined,
        (reason: unknown) => reason,
      )
    assert.ok(error instanceof MusterError)
    assert.deepEqual(
      [error.status, error.type, error.code, error.param],
      [400, 'invalid_request', 'string_too_long', 'crew[0].role'],
    )
    assert.match(error.requestId ?? '', /^req_/)
    assert.match(error.message, /61 characters, at most 60/)
  })

  it('makes one workflow from two calls with one idempotency key', async () => {
    const options = { idempotencyKey: 'once' }
    const first = await muster.workflows.create({ name: 'I' }, options)
    const second = await muster.workflows.create({ name: 'I' }, options)
    assert.equal(second.id, first.id)
  })
})
