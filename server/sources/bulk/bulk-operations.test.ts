import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { untilFound } from '../../../rig/until.ts'
import { complete, startTestApp } from '../../../test/test-app.ts'
import { fixture } from '../../../test/fixture.ts'

let workflow: string
let isBroken = true
const app = fixture(() =>
  startTestApp({
    intervals: { bulkOperationsMs: 20 },
    answer: (_request, response) => {
      if (!isBroken) return complete(response, 'done', 10, 7)
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"no such thing"}}')
    },
  }),
)
beforeEach(async () => {
  isBroken = true
  workflow = await app.createWorkflow()
})

const start = (body: object) => app.post('/v1/runs/bulk', body)

const ended = (id: string) =>
  untilFound('the operation has ended', 60_000, async () => {
    const operation = await app.get(`/v1/bulk-operations/${id}`)
    return operation.status === 'completed' ? operation : undefined
  })

async function failedRuns(count: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => app.trigger(workflow)))
  for (const id of ids) assert.equal((await app.rest(id)).status, 'failed')
  return ids
}

describe('a bulk operation', () => {
  it('retries each failed run once, and leaves out those that were retried before', async () => {
    const [first = '', ...others] = await failedRuns(60)
    isBroken = false
    await app.post(`/v1/runs/${first}/retry`, undefined)
    const body = { action: 'retry', filter: { workflow_id: workflow, status: ['failed'] } }
    const dry = await start({ ...body, dry_run: true })
    assert.deepEqual([dry.status, dry.matched, dry.id], ['dry_run', 60, ''])
    const operation = await start(body)
    const end = await ended(operation.id)
    assert.deepEqual([end.matched, end.done, end.skipped], [60, 59, 1])
    const retries = await app.sql<{ retry_of: string }>`
      select retry_of from runs where workflow_id = ${workflow} and retry_of is not null`
    assert.deepEqual(retries.map((row) => row.retry_of).sort(), [first, ...others].sort())
  })

  it('cancels runs by their ids, and says how many had ended', async () => {
    const [ended_ = ''] = await failedRuns(1)
    isBroken = false
    const open = await app.row<{ id: string }>`
      insert into runs (account_id, id, workflow_id, input, status)
      values (${app.accountId}, 'run_01ktbz3v9se0c9x1hm8q5gkxvn', ${workflow}, 'x', 'queued') returning id`
    const filter = { run_ids: [ended_, open.id, 'run_none'] }
    const end = await ended((await start({ action: 'cancel', filter })).id)
    assert.deepEqual([end.matched, end.done, end.skipped], [2, 1, 1])
    const [entry] = await app.get(`/v1/audit?object_id=${open.id}`)
    assert.equal(entry.action, 'run.cancelled')
  })

  it('says what it expects', async () => {
    const refused = async (body: object, pattern: RegExp): Promise<void> => {
      const { status, body: answer } = await app.call('POST', '/v1/runs/bulk', { body })
      assert.equal(status, 400, JSON.stringify(answer))
      assert.match(answer.error.message, pattern)
    }
    await refused({ action: 'cancel', filter: {} }, /filter is empty/)
    await refused({ action: 'cancel', filter: { status: ['done'] } }, /status/)
    await refused({ action: 'cancel', filter: { workflow_id: workflow } }, /no run matches/)
    await refused({ action: 'cancel', filter: { q: 'abc', run_ids: ['run_a'] } }, /run_ids goes/)
  })
})
