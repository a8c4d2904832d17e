import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { actOnce, clerkFixture, write } from '../../test/clerk.ts'
import { fixture } from '../../test/fixture.ts'
import { mainFile, makeFolder, muster, spawnMuster } from '../test-cli.ts'

const clerk = clerkFixture({}, [])
const { app } = clerk
const folder = fixture(() => makeFolder())

/** The suggestions for typed words, and the number that says whether there may be files. */
async function complete(...words: string[]): Promise<{ values: string[]; files: string }> {
  const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
  const { code, stdout, stderr } = await muster(['complete', '--', ...words], { env })
  assert.deepEqual([code, stderr], [0, ''])
  const lines = stdout.trim().split('\n')
  return {
    values: lines.slice(0, -1).map((line) => line.split('\t')[0] ?? ''),
    files: lines.at(-1) ?? '',
  }
}

describe('completion', () => {
  it('suggests commands, options and their values', async () => {
    const { values } = await complete('work')
    assert.deepEqual(values, ['workers', 'workflows'])
    assert.ok(!(await complete('')).values.includes('complete'))
    assert.ok((await complete('workflows', '')).values.includes('pause'))
    assert.deepEqual((await complete('serve', '--role', 'w')).values, ['worker'])
    const options = (await complete('runs', 'list', '--')).values
    for (const option of ['--status', '--json', '--profile']) assert.ok(options.includes(option))
    assert.deepEqual((await complete('completion', 'z')).values, ['zsh'])
    assert.deepEqual((await complete('run', 'x', '--file', 'no')).files, ':0')
    assert.deepEqual((await complete('nonsense', '')).values, [])
  })

  it('suggests ids and names of the account, and runs that wait for an answer', async () => {
    const workflowId = await clerk.createWorkflow({ enabled: true }, { name: 'Complete_me' })
    const spaced = await app.createWorkflow({ name: 'Two words' })
    app.answer = actOnce(write('hello'))
    const waiting = await app.run(workflowId)
    assert.equal(waiting.status, 'waiting_input')
    assert.deepEqual((await complete('run', 'Comp')).values, ['Complete_me'])
    const ids = (await complete('workflows', 'show', 'wf_')).values
    assert.ok(ids.includes(workflowId) && ids.includes(spaced))
    assert.deepEqual((await complete('run', 'Two')).values, [])
    assert.deepEqual((await complete('respond', 'run_')).values, [waiting.id])
    assert.ok((await complete('runs', 'show', '')).values.includes(waiting.id))
    assert.ok((await complete('runs', 'list', '--workflow', '')).values.includes('Complete_me'))
  })

  it('suggests nothing that a shell would execute, and nothing without a service', async () => {
    for (const name of ['$(touch x)', '`x`', 'a;b', 'a:b', '-rf', 'a\nb'])
      await app.createWorkflow({ name })
    const { values } = await complete('workflows', 'show', '')
    assert.ok(values.length > 6)
    for (const value of values) assert.match(value, /^[A-Za-z0-9][A-Za-z0-9_]*$/)
    const none = await muster(['complete', '--', 'run', ''], {
      env: { MUSTER_URL: 'http://127.0.0.1:1', MUSTER_API_KEY: 'x' },
    })
    assert.deepEqual([none.code, none.stdout, none.stderr], [0, ':4\n', ''])
  })

  for (const shell of ['bash', 'zsh', 'fish', 'powershell']) {
    it(`prints a script for ${shell}`, async () => {
      const { code, stdout } = await spawnMuster(['completion', shell]).finished
      assert.equal(code, 0)
      assert.ok(/muster complete '?--'? /.test(stdout))
    })
  }

  const hasBash = spawnSync('bash', ['--version']).status === 0
  it('works in bash', { skip: hasBash ? false : 'there is no bash' }, async () => {
    const bin = join(folder.path, 'bin')
    await mkdir(bin)
    const line = `exec '${process.execPath}' '${mainFile}' "$@"`
    await writeFile(join(bin, 'muster'), `#!/bin/sh\n${line}\n`)
    await chmod(join(bin, 'muster'), 0o755)
    // In place of the function of the package bash-completion.
    const words = `_get_comp_words_by_ref() { cur="\${COMP_WORDS[COMP_CWORD]}"; words=("\${COMP_WORDS[@]}"); }`
    const script = `${words}
source <(muster completion bash)
COMP_WORDS=(muster workflows pa); COMP_CWORD=2
__muster_complete 2>/dev/null
echo "\${COMPREPLY[@]}"`
    const env = { PATH: `${bin}${delimiter}${process.env['PATH']}`, MUSTER_API_KEY: 'x' }
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env })
    assert.equal(stdout.trim(), 'pause')
  })
})
