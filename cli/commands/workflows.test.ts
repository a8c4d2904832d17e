import assert from 'node:assert/strict'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'
import { json, makeFolder, muster, type Finished } from '../test-cli.ts'
import { fixture } from '../../test/fixture.ts'

const examples = join(import.meta.dirname, '..', '..', 'examples')

describe('muster workflows', () => {
  const app = fixture(() => startTestApp())
  const folder = fixture(() => makeFolder())

  function call(args: string[], stdin?: string): Promise<Finished> {
    const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
    return muster(args, { env, cwd: folder.path, ...(stdin === undefined ? {} : { stdin }) })
  }

  async function apply(text: string): Promise<Finished> {
    const file = join(folder.path, 'crew.yaml')
    await writeFile(file, text)
    return call(['workflows', 'apply', '-f', file])
  }

  it('applies every example, first as a new workflow, then as a change', async () => {
    const files = (await readdir(examples)).filter((name) => /\.(ya?ml|json)$/.test(name))
    assert.ok(files.length >= 3)
    for (const name of files) {
      const first = await call(['workflows', 'apply', '--file', join(examples, name)])
      assert.deepEqual([first.code, first.stderr], [0, ''])
      assert.match(first.stdout, /^Created .* \(wf_\w+\)\.\n$/)
      const second = await call(['workflows', 'apply', '--file', join(examples, name)])
      assert.match(second.stdout, /^Unchanged /)
    }
    const list = await call(['workflows', 'list'])
    assert.match(list.stdout, /^ID +NAME +STATUS[^]*Weekly report +active +planner, writer, editor/)
  })

  it('changes the workflow that has the name, and shows it by name and id', async () => {
    await apply('name: Notes\ncrew:\n  - role: one\n    systemPrompt: Do it.\n')
    const changed = await apply('name: Notes\nstatus: paused\ndescription: all of them\n')
    assert.equal(changed.code, 0)
    const shown = await call(['workflows', 'show', 'Notes', '--json'])
    const { id, status, crew } = json(shown.stdout)
    assert.equal(status, 'paused')
    assert.equal(crew[0].role, 'one')
    const text = await call(['workflows', 'show', id])
    assert.match(text.stdout, /description +all of them[^]*1\. one\n {3}Do it\./)
  })

  it('shows nothing that steers a terminal', async () => {
    const role = 'r\u001B[2J'
    const crew = [{ role, systemPrompt: 'a\u001B[31m\u202Eb\nc' }]
    const body = { name: 'n\u001B[2J', crew }
    const { id } = await app.post('/v1/workflows', body)
    const shown = await call(['workflows', 'show', id])
    assert.match(shown.stdout, /name +n\n[^]*1\. r\n {3}a\\u202eb\n {3}c\n$/)
    const file = `name: "n\\e[2J"\ndescription: x\n`
    assert.equal((await apply(file)).stdout, `Updated n (${id}).\n`)
  })

  it('makes a paused workflow from stdin', async () => {
    const { stdout } = await call(
      ['workflows', 'apply', '-f', '-', '--json'],
      '{"name": "From stdin", "status": "paused"}',
    )
    assert.equal(json(stdout).status, 'paused')
  })

  it('names the line of a field that the service refuses', async () => {
    const { code, stderr } = await apply(
      `name: Wrong\ncrew:\n  - role: one\n    systemPrompt: Do it.\n  - role: ${'r'.repeat(61)}\n    systemPrompt: Too.\n`,
    )
    assert.equal(code, 2)
    assert.match(stderr, /crew\.yaml line 5: .*crew\[1\]\.role has 61 characters, at most 60/)
    const unknown = await apply('name: Wrong\ncrew:\n  - role: one\n    prompt: Do it.\n')
    assert.match(unknown.stderr, /crew\.yaml line [34]: /)
  })

  it('refuses files that are no workflow', async () => {
    const wrong: [string, RegExp][] = [
      ['name: [', /crew\.yaml: line 1: /],
      ['- name: x', /holds no workflow/],
      ['crew: []', /name is absent/],
      ['name: 7', /name is 7/],
      ['a: &a [1]\n'.padEnd(1024 * 1024 + 1, ' '), /more than 1048576 bytes/],
    ]
    for (const [text, message] of wrong) {
      const { code, stderr } = await apply(text)
      assert.equal(code, 2)
      assert.match(stderr, message)
    }
  })

  it('does not guess between workflows of one name', async () => {
    for (const _ of [1, 2]) await app.call('POST', '/v1/workflows', { body: { name: 'Twice' } })
    for (const args of [
      ['workflows', 'show', 'Twice'],
      ['run', 'Twice', '--input', 'x'],
    ]) {
      const { code, stderr } = await call(args)
      assert.equal(code, 2)
      assert.match(stderr, /2 workflows have the name "Twice" \(wf_\w+, wf_\w+\)/)
    }
    assert.equal((await apply('name: Twice\n')).code, 2)
  })

  it('ends with 5 when there is no such workflow', async () => {
    for (const name of ['Nobody', 'wf_00000000000000000000000000']) {
      const { code, stderr } = await call(['workflows', 'show', name, '--json'])
      assert.equal(code, 5)
      assert.equal(json(stderr).error.code, 'not_found')
    }
  })
})
