import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { echo, startTestApp } from '../../test/test-app.ts'
import { fixture, prepare } from '../../test/fixture.ts'
import { json, makeFolder, muster, type Finished } from '../test-cli.ts'

describe('muster batches', () => {
  let folder: string
  const run = (...args: string[]): Promise<Finished> =>
    muster(['batches', ...args], {
      env: { MUSTER_URL: app.url, MUSTER_API_KEY: app.key },
      cwd: folder,
    })

  const app = fixture(() =>
    startTestApp({
      answer: echo,
      intervals: { batchesMs: 20 },
      prepareModels: (file) => {
        file.models.push({ id: 'local/llama', provider: 'test', model: 'llama' })
      },
    }),
  )
  const made = fixture(() => makeFolder())
  let workflow: string
  prepare(async () => {
    folder = made.path
    await writeFile(join(folder, 'people.csv'), 'id,name\n1,Ada\n2,Grace\n')
    await writeFile(join(folder, 'one.md'), '# One\n')
    await writeFile(join(folder, 'two.md'), '# Two\n')
    workflow = await app.createWorkflow()
  })

  it('says that a price is unknown, of the batch, of its items and of each step', async () => {
    const crew = [{ role: 'r', systemPrompt: 's' }]
    const id = await app.createWorkflow({ crew, model: 'local/llama' })
    const { stdout, stderr } = await run('create', id, 'people.csv', '--key', 'id')
    assert.match(stdout, /cost +price unknown/)
    assert.match(stderr, /2 of 2 ended · price unknown/)
    const [batch, ...others] = json((await run('list', '--json')).stdout)
    assert.match((await run('list')).stdout, /price unknown/)
    assert.match((await run('items', batch.id)).stdout, /price unknown[^]*price unknown/)
    const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
    const direct = await muster(['run', id, '--input', 'hello'], { env, cwd: folder })
    assert.match(direct.stderr, /✔ r +local\/llama .*tokens +price unknown/)
    assert.deepEqual(others, [])
  })

  it('runs a file of items, is estimated, and prints its results', async () => {
    const estimate = await run('create', workflow, 'people.csv', '--estimate')
    assert.match(estimate.stdout, /total +2[^]*no run has completed yet/)
    const { code, stdout, stderr } = await run('create', workflow, 'people.csv', '--key', 'id')
    assert.equal(code, 0, stderr)
    assert.match(stdout, /status +completed[^]*completed +2/)
    assert.match(stderr, /2 of 2 ended/)
    const [batch] = json((await run('list', '--json')).stdout)
    const csv = await run('results', batch.id, '--csv')
    assert.match(csv.stdout, /^key,file,file_id,status[^]*\n1,,,completed[^]*\n2,,,completed/)
    assert.equal((await run('results', batch.id)).stdout.trim().split('\n').length, 2)
    assert.match((await run('items', batch.id)).stdout, /POSITION +KEY +FILE +STATUS/)
  })

  it('runs files, one each, and says what it expects', async () => {
    const { code, stdout } = await run(
      'create',
      workflow,
      'one.md',
      'two.md',
      '--no-wait',
      '--json',
    )
    assert.equal(code, 0)
    assert.equal(json(stdout).total, 2)
    const without = await run('create', workflow)
    assert.equal(without.code, 2)
    assert.match(without.stderr, /give a \.csv or \.jsonl file/)
  })
})
