import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { callerFixture, callLookup, callRefund } from '../../server/tool-calls/test-caller.ts'
import { muster, startMuster } from '../test-cli.ts'

const { app, start } = callerFixture()

const env = async (): Promise<Record<string, string>> => {
  const { key } = await app.post('/v1/api-keys', { name: 'worker', role: 'worker' })
  return { MUSTER_URL: app.url, MUSTER_API_KEY: key, PATH: process.env['PATH'] ?? '' }
}

describe('muster tools serve', () => {
  it('gives the arguments on stdin, and reads JSON, text and errors', async () => {
    const answer = `read input; case $input in *A-1*) echo "$input";; *A-2*) echo no JSON;; *) echo bad >&2; exit 1;; esac`
    const serving = startMuster(['tools', 'serve', '--exec', `lookup_order=${answer}`], {
      env: await env(),
    })
    await serving.until(/Serving lookup_order/)
    const outputOf = async (order: string) =>
      (await app.rest(await start([callLookup(order)]))).output
    assert.equal(await outputOf('A-1'), 'done: {"order":"A-1"}')
    assert.equal(await outputOf('A-2'), 'done: no JSON\n')
    assert.equal(await outputOf('A-3'), 'done: bad')
    serving.kill('SIGINT')
    const { code, stderr } = await serving.finished
    assert.equal(code, 0)
    assert.match(stderr, /lookup_order call_\w+ failed: bad/)
  })

  it('tells its command the id of the call, and no key', async () => {
    const command = 'echo "[\\"$MUSTER_CALL_ID\\", \\"$MUSTER_API_KEY\\"]"'
    const serving = startMuster(['tools', 'serve', '--exec', `refund=${command}`], {
      env: await env(),
    })
    const run = await app.rest(await start([callRefund()]))
    assert.equal(run.output, `done: ["${run.steps[0].tool_calls[0].id}",""]`)
    serving.kill('SIGTERM')
    assert.equal((await serving.finished).code, 0)
  })

  it('refuses a tool without a command', async () => {
    const { code, stderr } = await muster(['tools', 'serve', '--exec', 'lookup'], {
      env: await env(),
    })
    assert.equal(code, 2)
    assert.match(stderr, /--exec is "lookup", expected a tool's name, = and a command/)
  })
})
