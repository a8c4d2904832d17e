import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ToolCall } from '../../sdk/index.ts'
import { clerkFixture, write } from '../../test/clerk.ts'
import { callTools, complete } from '../../test/test-app.ts'
import { json, muster, type Finished } from '../test-cli.ts'
import { prepare } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

/** A run whose agent writes twice: once with arguments that a person changed, once rejected. */
describe('muster runs', () => {
  let runId: string
  let keyId: string

  const clerk = clerkFixture(
    {
      answer: ({ messages }, response) => {
        const done = messages.filter(({ role }) => role === 'tool').length
        response.setHeader('x-request-id', `req_${done}`)
        if (done === 2) complete(response, 'Both were decided.', 30, 3)
        else callTools(response, [write(`no. ${done}`)])
      },
    },
    [],
  )
  const { app } = clerk
  prepare(async () => {
    const id = await clerk.createWorkflow({ enabled: true }, { name: 'Desk' })
    runId = await app.trigger(id, 'Write.')
    for (const answer of [
      { action: 'approve', tool_input: { text: 'mine' }, reason: 'sounds better' },
      { action: 'reject', reason: 'one is\nenough' },
    ]) {
      const { pending } = await app.rest(runId)
      await app.post(`/v1/runs/${runId}/respond`, { ...answer, pending_id: pending.id })
    }
    await app.rest(runId)
    keyId = (await app.get('/v1/api-keys'))[0].id
  })

  const call = (...args: string[]): Promise<Finished> =>
    muster(['runs', ...args, '--url', app.url], { env: { MUSTER_API_KEY: app.key } })

  it('show: the calls, each with its arguments, what was decided, by whom and why', async () => {
    const { stdout, code } = await call('show', runId)
    assert.equal(code, 0)
    const by = `by first admin key \\(${keyId}\\) \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d`
    const lines = [
      /1\. clerk {2}test\/echo .*/,
      /sink\.write {2}succeeded/,
      / {2}\{"text":"mine"\}/,
      / {2}proposed: \{"text":"no\. 0"\}/,
      new RegExp(`  edited ${by}: sounds better`),
      / {2}→ A person changed the arguments to \{"text":"mine"\}\. written: mine/,
      /sink\.write {2}rejected/,
      / {2}\{"text":"no\. 1"\}/,
      new RegExp(`  rejected ${by}: one is enough`),
      / {2}→ A person rejected this action; .* Reason: one is enough/,
      /Both were decided\./,
    ]
    assert.match(stdout, new RegExp(`${pluck(lines, 'source').join('\\n')}\\n$`))
    assert.match(stdout, /^status +completed$/m)
    assert.match(stdout, /^time +.* run time(, .* waiting)?$/m)
    const run = json((await call('show', runId, '--json')).stdout)
    assert.deepEqual(
      run.steps[0].tool_calls.map(({ input, decision, decider, reason }: ToolCall) => [
        input,
        decision,
        decider?.name,
        reason,
      ]),
      [
        [{ text: 'mine' }, 'edited', 'first admin key', 'sounds better'],
        [{ text: 'no. 1' }, 'rejected', 'first admin key', 'one is\nenough'],
      ],
    )
  })

  it('turns: what the model was sent and said, with its tools, calls and the ids of requests', async () => {
    const { stdout, code } = await call('turns', runId)
    assert.equal(code, 0)
    const [first, second, last, ...rest] = stdout.split(/\n(?=Turn )/)
    assert.deepEqual(rest, [])
    assert.match(
      first ?? '',
      /^Turn 0 {2}test\/echo {2}\S+ {2}10→5 tokens .* {2}req_0\nsystem\nact[^]*\nuser\nWrite\.\ntools: .*sink__write/,
    )
    assert.match(
      first ?? '',
      /\nsink\.write {2}succeeded\n[^]*\nA person changed [^]*\nwritten: mine\n?$/,
    )
    assert.match(second ?? '', /^Turn 1 .* {2}req_1\ntools: [^]*\nsink\.write {2}rejected\n/)
    assert.match(last ?? '', /^Turn 2 .* {2}req_2\ntools: .*\nsaid\nBoth were decided\.\n$/)
    const one = json((await call('turns', runId, '0', '--limit', '1', '--json')).stdout)
    assert.deepEqual(pluck(one, 'number', 'request_id'), [[0, 'req_0']])
  })

  it('list: all that match as CSV', async () => {
    const { stdout, code } = await call('list', 'Desk', '--status', 'completed', '--csv')
    assert.equal(code, 0)
    assert.match(stdout, new RegExp(`^id,workflow_id,status,.*\r\n${runId},.*,Write[.],.*\r\n$`))
    const cancelled = await call('list', '--status', 'cancelled', '--json')
    assert.deepEqual(json(cancelled.stdout), [])
  })

  it('turns: says that there is no such step, or no such run', async () => {
    for (const args of [
      [runId, '1'],
      [runId, 'x'],
      ['run_none', '0'],
    ]) {
      const { code, stderr } = await call('turns', ...args)
      assert.notEqual(code, 0)
      assert.match(stderr, /Cannot list turns of step: run \S+ has no step \S+/)
    }
  })
})
