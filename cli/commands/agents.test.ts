import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'
import { json, muster, type Finished } from '../test-cli.ts'
import { fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

const app = fixture(() => startTestApp({ role: 'api' }))

function call(args: string[], stdin?: string): Promise<Finished> {
  const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
  return muster(args, { env, ...(stdin === undefined ? {} : { stdin }) })
}
const agents = (...args: string[]) => call(['agents', ...args])
const memory = (...args: string[]) => call(['memory', ...args])
const needed = ['--role', 'researcher', '--prompt', 'Find sources.']

describe('muster agents', () => {
  it('creates, lists, shows, changes, pauses, resumes and deletes', async () => {
    const made = await agents(
      'create',
      '--name',
      'Ada',
      ...needed,
      '--category',
      'Research',
      '--max-tokens',
      '300',
      '--no-memory',
      '--json',
    )
    assert.equal(made.code, 0, made.stderr)
    const { id, maxTokens, memory_enabled: remembers } = json(made.stdout)
    assert.deepEqual([maxTokens, remembers], [300, false])

    await agents('create', '--name', 'Bob', ...needed)
    const list = await agents('list')
    assert.match(list.stdout, /^ID +NAME +STATUS +CATEGORY[^]*Bob[^]*Ada +active +Research/)
    const research = json((await agents('list', '--category', 'Research', '--json')).stdout)
    assert.deepEqual(pluck(research, 'name'), ['Ada'])

    const changed = await agents('update', 'Ada', '--memory', '--model', 'muster/demo')
    assert.match(changed.stdout, /model +muster\/demo[^]*memory +on[^]*\n\nFind sources\.\n$/)
    const cleared = await agents('update', id, '--model', '', '--description', '', '--json')
    assert.equal(json(cleared.stdout).model, null)
    assert.match((await agents('pause', 'Ada')).stdout, /^Ada \(agt_\w+\) is paused\.\n$/)
    assert.match((await agents('show', id)).stdout, /status +paused/)
    assert.match((await agents('resume', 'Ada')).stdout, /is active/)
    assert.equal((await agents('delete', 'Ada')).stdout, `Deleted ${id}.\n`)
    assert.equal((await agents('show', 'Ada')).code, 5)
    assert.equal((await agents('show', id)).code, 5)
  })

  it('shows names with what would hide or turn around in them as escapes', async () => {
    const made = await agents('create', '--name', 'ops\u202etxe\u200b', ...needed, '--json')
    const { id, name } = json(made.stdout)
    assert.equal(name, 'ops\u202etxe\u200b', 'programs get it as it is')
    for (const words of [['list'], ['show', id], ['pause', id]]) {
      const { stdout } = await agents(...words)
      assert.match(stdout, /ops\\u202etxe\\u200b/, words[0])
      assert.doesNotMatch(stdout, /[\u200b\u202e]/)
    }
    await agents('delete', id)
  })

  it('applies a file, first as a new agent, then as a change', async () => {
    const file = 'name: Filed\nrole: r\nsystemPrompt: s\n'
    const first = await call(['agents', 'apply', '-f', '-'], file)
    assert.match(first.stdout, /^Created Filed \(agt_\w+\)\.\n$/, first.stderr)
    const second = await call(['agents', 'apply', '-f', '-', '--json'], `${file}status: paused\n`)
    assert.equal(json(second.stdout).status, 'paused')
    const wrong = await call(['agents', 'apply', '-f', '-'], `${file}maxTokens: 1\n`)
    assert.equal(wrong.code, 2)
    assert.match(wrong.stderr, /stdin line 4: .*maxTokens is 1, at least 256/)
    const none = await call(['agents', 'apply', '-f', '-'], '- x')
    assert.match(none.stderr, /holds no agent/)
  })

  it('takes options, a file and JSON alike, and names the option of a field that is refused', async () => {
    const file = [
      '-f',
      '-',
      '--max-tokens',
      '300',
      '--output-schema',
      '{"type":"object"}',
      '--json',
    ]
    const yaml = 'name: Alike\nrole: r\nsystemPrompt: s\ncapabilities: []\n'
    const made = json((await call(['agents', 'create', ...file], yaml)).stdout)
    assert.deepEqual([made.name, made.maxTokens, made.output_schema.type], ['Alike', 300, 'object'])
    const off = await agents('update', 'Alike', '--memory', 'off', '--max-tokens', '', '--json')
    assert.deepEqual([json(off.stdout).memory_enabled, json(off.stdout).maxTokens], [false, null])
    for (const [args, message] of [
      [['--category', 'x'.repeat(501)], /category has 501 characters, .*\(--category\)/],
      [['--output-schema', '{'], /--output-schema is "\{", expected JSON/],
      [['--memory', 'maybe'], /--memory is "maybe", expected on or off/],
      [['--max-tokens', '1'], /--max-tokens is "1", expected a whole number from 256 to 32000/],
    ] as const) {
      const { code, stderr } = await agents('update', 'Alike', ...args)
      assert.equal(code, 2)
      assert.match(stderr, message)
    }
    await agents('delete', 'Alike')
  })

  it('says what is wrong', async () => {
    for (const [args, message] of [
      [['create', '--name', 'x', '--role', 'r'], /--prompt/],
      [['create', '--name', 'x', ...needed, '--max-tokens', 'many'], /whole number/],
      [
        ['create', '--name', 'x', ...needed, '--connector', 'nothing'],
        /connectors\[0\] is nothing/,
      ],
      [['update', 'x'], /nothing to change/],
    ] as const) {
      const { code, stderr } = await agents(...args)
      assert.equal(code, 2, stderr)
      assert.match(stderr, message)
    }
    for (const _ of [1, 2]) await agents('create', '--name', 'Twice', ...needed)
    const twice = await agents('pause', 'Twice')
    assert.equal(twice.code, 2)
    assert.match(twice.stderr, /2 agents have the name "Twice" \(agt_\w+, agt_\w+\)/)
  })
})

describe('muster memory', () => {
  it('adds, lists, searches, pins, unpins and deletes, of an agent and of a role', async () => {
    await agents('create', '--name', 'Keeper', ...needed)
    const workflow = await app.post('/v1/workflows', { name: 'W' })
    for (const owner of [
      ['--agent', 'Keeper'],
      ['--workflow', workflow.id, '--role', 'planner'],
    ]) {
      const added = await memory('add', 'Prices are net.', ...owner, '--json')
      assert.equal(added.code, 0, added.stderr)
      const { id } = json(added.stdout)
      const pinned = await memory('add', 'Write in English.', '--pin', ...owner)
      assert.match(pinned.stdout, /pinned +yes\nby +user\n\nWrite in English\.\n$/)
      const list = await memory('list', ...owner)
      assert.match(list.stdout, /^ID +ROLE +PINNED[^]*Write in English\.\n[^]*Prices are net\.\n$/)
      const found = json((await memory('list', '-q', 'price', ...owner, '--json')).stdout)
      assert.deepEqual(pluck(found, 'id'), [id])
      const whose = owner.slice(0, 2)
      assert.match((await memory('pin', id, ...whose)).stdout, /pinned +yes/)
      assert.match((await memory('unpin', id, ...whose)).stdout, /pinned +no/)
      assert.equal((await memory('delete', id, ...whose)).stdout, `Deleted ${id}.\n`)
      assert.equal((await memory('delete', id, ...whose)).code, 5)
      assert.equal(json((await memory('list', ...owner, '--json')).stdout).length, 1)
    }
    const all = await memory('list', '--workflow', 'W', '--json')
    assert.equal(json(all.stdout)[0].role, 'planner')
  })

  it('says whose memory is missing', async () => {
    for (const [args, code, message] of [
      [['list'], 2, /give --agent, or --workflow/],
      [['list', '--agent', 'a', '--workflow', 'w'], 2, /give --agent, or --workflow/],
      [['list', '--agent', 'Nobody'], 5, /no agent has the id or name "Nobody"/],
      [['add', 'x', '--agent', 'Keeper', '--role', 'r'], 2, /--role goes with --workflow/],
      [['add', 'x', '--workflow', 'W'], 2, /give --role/],
      [['add', 'x', '--workflow', 'W', '--role', 'cook'], 2, /planner, writer/],
      [['add', '', '--agent', 'Keeper'], 2, /content has 0 characters, at least 1/],
    ] as const) {
      const finished = await memory(...args)
      assert.equal(finished.code, code, finished.stderr)
      assert.match(finished.stderr, message)
    }
  })
})
