import assert from 'node:assert/strict'
import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fixture } from '../../test/fixture.ts'
import { startTestApp } from '../../test/test-app.ts'
import { hasTerminals, json, makeFolder, muster, startOnTerminal } from '../test-cli.ts'

const app = fixture(() => startTestApp({ role: 'api' }))
const skip = hasTerminals ? false : 'there is no `script` of util-linux on this machine'

/** A person with an empty home, outside of any folder of a service. */
async function makeHome() {
  const folder = await makeFolder()
  const env = { XDG_CONFIG_HOME: folder.path }
  const file = join(folder.path, 'muster', 'profiles.json')
  const run = (args: string[], more: { env?: Record<string, string>; stdin?: string } = {}) =>
    muster(args, { cwd: folder.path, ...more, env: { ...env, ...more.env } })
  const login = (name: string, key = app.key) =>
    run(['login', '--profile', name, '--url', app.url, '--key-file', '-'], { stdin: `${key}\n` })
  return { env, file, run, login, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() }
}

describe('profiles', () => {
  it('are stored in one file of mode 600, and used by name or as the current one', async () => {
    await using home = await makeHome()
    const { run, login, file } = home
    const none = await run(['account', 'show'])
    assert.deepEqual([none.code, /or run muster login/.test(none.stderr)], [6, true])
    const first = await login('staging')
    assert.equal(first.code, 0, first.stderr)
    assert.match(first.stdout, /^Profile staging: http.*, account default, role admin\./)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await run(['account', 'show'])).code, 0)
    const { data: key } = (
      await app.call('POST', '/v1/api-keys', {
        body: { name: 'reader', role: 'viewer' },
      })
    ).body
    assert.equal((await login('reader', key.key)).code, 0)
    const roleOf = async (...args: string[]): Promise<string> =>
      json((await run(['account', 'show', '--json', ...args])).stdout).key.role
    assert.equal(await roleOf(), 'viewer')
    assert.equal(await roleOf('--profile', 'staging'), 'admin')
    assert.equal((await run(['profiles', 'use', 'staging'])).code, 0)
    assert.equal(await roleOf(), 'admin')
    const named = await run(['account', 'show', '--json'], { env: { MUSTER_PROFILE: 'reader' } })
    assert.equal(json(named.stdout).key.role, 'viewer')
    const listed = json((await run(['profiles', '--json'])).stdout)
    assert.deepEqual(
      listed.map((one: { name: string; current: boolean }) => [one.name, one.current]),
      [
        ['staging', true],
        ['reader', false],
      ],
    )
    assert.doesNotMatch((await run(['profiles', 'list', '--json'])).stdout, /mst_/)
    assert.equal((await run(['logout'])).stdout, 'Removed profile staging.\n')
    assert.equal((await run(['account', 'show'])).code, 6)
    assert.doesNotMatch(await readFile(file, 'utf8'), new RegExp(app.key))
  })

  it('give way to variables, and never lend their key to another address', async () => {
    await using home = await makeHome()
    const { run, login } = home
    await login('default')
    const other = 'http://127.0.0.1:1'
    const elsewhere = await run(['account', 'show', '--url', other])
    assert.deepEqual([elsewhere.code, /No API key/.test(elsewhere.stderr)], [6, true])
    const byVariable = await run(['account', 'show'], { env: { MUSTER_URL: other } })
    assert.equal(byVariable.code, 6)
    const own = await run(['account', 'show'], {
      env: { MUSTER_URL: app.url, MUSTER_API_KEY: 'x' },
    })
    assert.deepEqual([own.code, /API key/.test(own.stderr)], [6, true])
    const both = await run(['account', 'show', '--profile', 'default', '--url', other])
    assert.deepEqual([both.code, /give one of them/.test(both.stderr)], [2, true])
  })

  it('refuse a wrong key, an unknown name, a broken file and one that others can read', async () => {
    await using home = await makeHome()
    const { run, login, file } = home
    assert.equal((await login('default', 'mst_wrong')).code, 6)
    await assert.rejects(stat(file), { code: 'ENOENT' })
    assert.equal((await login('../etc')).code, 2)
    const asked = await run(['login', '--url', app.url])
    assert.deepEqual([asked.code, /give --key-file/.test(asked.stderr)], [2, true])
    await login('default')
    const unknown = await run(['account', 'show', '--profile', 'prod'])
    assert.equal(unknown.code, 5)
    assert.match(unknown.stderr, /there is no "prod", expected default/)
    await chmod(file, 0o640)
    const shared = await run(['account', 'show'])
    assert.deepEqual([shared.code, /other users can read it/.test(shared.stderr)], [6, true])
    await chmod(file, 0o600)
    await writeFile(file, '{"current":"a","profiles":{"a":{"url":1}}}')
    const broken = await run(['account', 'show'])
    assert.deepEqual([broken.code, /does not hold profiles/.test(broken.stderr)], [2, true])
  })

  it('are asked for on a terminal, the key without showing it', { skip }, async () => {
    await using home = await makeHome()
    const shell = startOnTerminal(['login'], { env: home.env })
    await shell.until(/Address \(http:\/\/127\.0\.0\.1:3000\): /)
    shell.type(`${app.url}\n`)
    await shell.until(/API key, not shown: /)
    shell.type(`${app.key}\n`)
    const { code, stdout } = await shell.finished
    assert.equal(code, 0, stdout)
    assert.match(stdout, /Profile default: /)
    assert.ok(!stdout.includes(app.key), stdout)
    assert.equal((await home.run(['account', 'show'])).code, 0)
  })
})
