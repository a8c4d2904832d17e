import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { startTestMcpServer } from '../../rig/mcp-server.ts'
import { startTestApp } from '../../test/test-app.ts'
import { json, muster, type Finished } from '../test-cli.ts'
import { prepare, fixture } from '../../test/fixture.ts'

describe('muster connectors', () => {
  let folder: string
  const app = fixture(() => startTestApp({ role: 'api' }))
  const mcp = fixture(() => startTestMcpServer())
  prepare(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-connectors-'))
  })
  after(async () => {
    await rm(folder, { recursive: true })
  })

  function call(args: string[], stdin = ''): Promise<Finished> {
    return muster([...args, '--url', app.url], { env: { MUSTER_API_KEY: app.key }, stdin })
  }

  it('connects by a file, shows no secret, and disconnects', async () => {
    const file = join(folder, 'slack.json')
    await writeFile(file, '{"token":"xoxb-very-secret"}')
    const made = await call(['connectors', 'connect', 'slack', file])
    assert.equal(made.code, 0, made.stderr)
    assert.match(made.stdout, /sensitive +slack\.post_message/)
    const listed = await call(['connectors', 'list'])
    assert.match(listed.stdout, /slack\.post_message +yes +yes/)
    assert.match(listed.stdout, /email\.send +yes +no/)
    assert.doesNotMatch(made.stdout + listed.stdout, /very-secret/)
    const gone = await call(['connectors', 'disconnect', 'slack'])
    assert.deepEqual([gone.code, gone.stdout], [0, 'Disconnected slack.\n'])
    assert.equal((await call(['connectors', 'disconnect', 'slack'])).code, 5)
  })

  it('connects an MCP server by stdin, and its test ends with 3 once a tool changed', async () => {
    const url = mcp.url.replace('mcp.test', '127.0.0.1')
    const server = JSON.stringify({ kind: 'mcp', url, safe_tools: ['echo'] })
    const made = await call(['connectors', 'connect', 'notes', '-', '--json'], server)
    assert.equal(made.code, 0, made.stderr)
    assert.deepEqual(json(made.stdout).safe_tools, ['echo'])
    assert.equal((await call(['connectors', 'test', 'notes'])).code, 0)
    mcp.tools = []
    const changed = await call(['connectors', 'test', 'notes'])
    assert.equal(changed.code, 3)
    assert.match(changed.stdout, /changed or gone since they were accepted: echo/)
  })

  it('ends with 2 for a file that is no JSON, and does not show it', async () => {
    const { code, stderr } = await call(['connectors', 'connect', 'slack', '-'], 'xoxb-very-secret')
    assert.equal(code, 2)
    assert.match(stderr, /Cannot read stdin: it is not valid JSON/)
    assert.doesNotMatch(stderr, /very-secret/)
    const wrong = await call(['connectors', 'connect', 'slack', '-'], '{"tokn":"xoxb-very-secret"}')
    assert.equal(wrong.code, 2)
    assert.doesNotMatch(wrong.stderr, /very-secret/)
  })
})
