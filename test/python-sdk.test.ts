import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { fixture } from './fixture.ts'
import { callTools, complete, echo, startTestApp, toolResults } from './test-app.ts'

/**
 * The Python SDK against a real service, where `python/.venv` has its packages: `npm run python` makes it, on a machine
 * with Python 3.10 or newer.
 */
const folder = join(import.meta.dirname, '../python')
const python = join(folder, '.venv/bin/python')
const run = promisify(execFile)
const skip = existsSync(python) ? false : 'python/.venv is not there; `npm run python` makes it'

describe('the Python SDK', { skip }, () => {
  const app = fixture(() => startTestApp())

  it('does what its tests say', async () => {
    app.answer = (request, response) => {
      const asks = JSON.stringify(request.messages).includes('Ask first.')
      const isAnswered = request.messages.at(-1)?.role === 'tool'
      if (asks && !isAnswered) {
        callTools(response, [{ name: 'request_input', arguments: { question: 'Which line?' } }])
      } else if (JSON.stringify(request.messages).includes('Look up.')) {
        const [result] = toolResults(request)
        if (result !== undefined) complete(response, result)
        else callTools(response, [{ name: 'app__lookup', arguments: { id: '7' } }])
      } else if (asks) complete(response, 'done')
      else echo(request, response)
    }
    const env = { ...process.env, MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
    const { stdout } = await run(
      python,
      ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'tests'],
      {
        cwd: folder,
        env,
      },
    ).catch((error: { stdout: string }) => assert.fail(error.stdout))
    assert.match(stdout, /\d+ passed/)
  })

  it('is found well written and typed, and can be built', async () => {
    const check = (...args: string[]) =>
      run(python, ['-m', ...args], { cwd: folder }).catch((error: { stdout: string }) =>
        assert.fail(error.stdout),
      )
    await check('ruff', 'check')
    await check('mypy')
    await check('build', '--no-isolation', '--outdir', '.venv/built')
  })
})
