import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startTrainer } from '../../rig/trainer.ts'
import { startTestApp } from '../../test/test-app.ts'
import { json, muster, startMuster, type CliOptions } from '../test-cli.ts'
import { fixture } from '../../test/fixture.ts'

const example = join(import.meta.dirname, '..', '..', 'examples', 'support-tone.jsonl')
const base = ['--base-model', 'gpt-4.1-mini-2025-04-14']

describe('muster fine-tunes', () => {
  const trainer = fixture(() => startTrainer('openai'))
  const app = fixture(() =>
    startTestApp({
      env: { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: trainer.url },
      intervals: { fineTunesMs: 50 },
    }),
  )

  const env = () => ({ MUSTER_URL: app.url, MUSTER_API_KEY: app.key })
  const call = (args: string[], options: CliOptions = {}) =>
    muster(['fine-tunes', ...args], { env: env(), ...options })

  it('carries the example from its preview to a model', async () => {
    const preview = await call(['preview', ...base, '--file', example])
    assert.equal(preview.code, 0, preview.stderr)
    assert.match(preview.stdout, /examples +12\n/)
    assert.match(preview.stdout, /about \$0\.0/)
    assert.match(preview.stdout, /user: The pump hums/)
    assert.deepEqual(trainer.calls, [])

    const watching = startMuster(
      ['fine-tunes', 'create', 'Tone', ...base, '--file', example, '--suffix', 'tone', '--watch'],
      { env: env() },
    )
    await watching.until(/now validating/)
    const job = trainer.jobs[0]
    assert.ok(job !== undefined)
    trainer.setStatus(job, 'running')
    await watching.until(/now running/)
    trainer.setStatus(job, 'succeeded')
    const done = await watching.finished
    assert.equal(done.code, 0, done.stderr)
    assert.match(done.stderr, /validating[^]*running[^]*succeeded/)
    assert.match(done.stdout, new RegExp(`model +${job.fineTunedModel}`))

    const list = await call(['list'])
    assert.match(list.stdout, /Tone +succeeded/)
    const [listed] = json((await call(['list', '--json'])).stdout)
    const cancel = await call(['cancel', listed.id])
    assert.match(cancel.stdout, /Nothing to cancel/)
    assert.match((await call(['delete', listed.id])).stdout, /Deleted/)
    assert.equal((await call(['show', listed.id])).code, 5)
  })

  it('tells in its exit code that training failed or was cancelled', async () => {
    const args = ['create', 'Bad', ...base, '--file', '-', '--json', '--epochs', '2']
    const stdin = '{"input":"a","output":"b"}\n'.repeat(10)
    const made = json((await call(args, { stdin })).stdout)
    assert.deepEqual(made.hyperparameters, { epochs: 2 })
    const job = trainer.jobs.at(-1)
    assert.ok(job !== undefined)
    trainer.setStatus(job, 'failed', 'not enough')
    const watched = await call(['watch', made.id])
    assert.equal(watched.code, 3)
    assert.match(watched.stderr, /error: not enough/)
    assert.match(watched.stdout, /failed/)

    const other = json((await call(args, { stdin })).stdout)
    assert.match((await call(['cancel', other.id])).stdout, /Cancelled/)
    assert.equal((await call(['watch', other.id])).code, 3)
  })

  it('goes on showing a log that is as long as it may be', async () => {
    const stdin = '{"input":"a","output":"b"}\n'.repeat(10)
    const made = json(
      (await call(['create', 'Long', ...base, '--file', '-', '--json'], { stdin })).stdout,
    )
    const job = trainer.jobs.at(-1)
    assert.ok(job !== undefined)
    const at = job.events[0]?.at ?? 0
    job.events = Array.from({ length: 1_000 }, (_, number) => ({
      at: at + number,
      status: 'running',
      error: `line ${number};`,
    }))
    const watching = startMuster(['fine-tunes', 'watch', made.id], { env: env() })
    await watching.until(/line 999;/)
    job.events.push({ at: at + 1_000, status: 'running', error: 'line 1000;' })
    await watching.until(/line 1000;/)
    trainer.setStatus(job, 'failed', 'no quota')
    const { stderr } = await watching.finished
    const shown = [...stderr.matchAll(/line (\d+);/g)].map(([, number]) => Number(number))
    assert.deepEqual(
      shown,
      Array.from({ length: 1_001 }, (_, number) => number),
    )
  })

  it('names what is wrong with the source', async () => {
    for (const [args, words] of [
      [['create', 'x', ...base], /give --file, or --workflow/],
      [['create', 'x', ...base, '--file', '/nowhere'], /no such file/],
      [['create', 'x', ...base, '--file', example, '--workflow', 'w'], /cannot be used with/],
      [['create', 'x', ...base, '--file', example, '--epochs', 'many'], /a number/],
      [['create', 'x', '--file', example], /--base-model/],
    ] as const) {
      const { code, stderr } = await call([...args])
      assert.notEqual(code, 0)
      assert.match(stderr, words)
    }
    const bad = await call(['create', 'x', ...base, '--file', '-', '--json'], { stdin: '{' })
    assert.equal(bad.code, 2)
    const { error } = json(bad.stderr)
    assert.deepEqual([error.code, error.line], ['invalid_training_data', 1])
    const few = await call(['preview', ...base, '--file', '-'], {
      stdin: '{"input":"a","output":"b"}',
    })
    assert.equal(few.code, 2)
    assert.match(few.stdout, /at least 10/)
  })
})
