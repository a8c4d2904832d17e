import assert from 'node:assert/strict'
import { it } from 'node:test'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { fixture } from '../../test/fixture.ts'
import { startTestApp } from '../../test/test-app.ts'
import { json, muster, type Finished } from '../test-cli.ts'

const app = fixture(() => startTestApp({ role: 'api' }))
const server = fixture(() =>
  startScriptedServer((response) => send(response, { error: { message: 'No such key' } }, 401)),
)

function call(args: string[], stdin = ''): Promise<Finished> {
  const env = { MUSTER_API_KEY: app.key }
  return muster(['model-providers', ...args, '--url', app.url], { env, stdin })
}

it('muster model-providers stores a key from stdin, shows its state, and removes it', async () => {
  const set = ['set', 'lab', '-', '--base-url', server.url, '--model', 'tiny', 'large']
  const made = await call(set, 'sk-very-secret\n')
  assert.equal(made.code, 3, made.stderr)
  assert.match(made.stdout, /models +lab\/tiny, lab\/large/)
  assert.match(made.stdout, /failing[^]*status 401, No such key/)
  assert.equal(server.requests[0]?.headers.authorization, 'Bearer sk-very-secret')
  const listed = await call(['list'])
  assert.match(listed.stdout, /lab +lab +account +failing/)
  assert.match(listed.stdout, /openai +OpenAI +–/)
  assert.doesNotMatch(made.stdout + listed.stdout, /very-secret/)
  const open = await call(['set', 'lab', '--no-key', '--json'])
  assert.equal(json(open.stdout).has_key, false)
  assert.equal((await call(['test', 'lab'])).code, 3)
  assert.deepEqual((await call(['remove', 'lab'])).stdout, 'Removed lab.\n')
  assert.equal((await call(['remove', 'lab'])).code, 5)
})
