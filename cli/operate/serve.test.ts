import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import {
  json,
  makeFolder,
  muster,
  spawnMuster,
  type CliOptions,
  type Started,
} from '../test-cli.ts'
import { createPool } from '../../server/db/client.ts'
import { createTestDatabase } from '../../server/db/test-database.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

describe('muster serve, migrate and accounts with the embedded database', () => {
  let service: Started
  let url: string
  const operatorKey = 'operator-key-of-the-command-line-0123456789'
  const options = (env: Record<string, string> = {}): CliOptions => ({
    cwd: folder.path,
    env: { MUSTER_DATA_DIR: join(folder.path, '.muster'), ...env },
  })

  const folder = fixture(() => makeFolder())
  prepare(async () => {
    const migrated = await muster(['migrate', '--json'], options())
    assert.match(json(migrated.stdout).applied[0], /^0001_/)
    const env = { PORT: '0', MUSTER_OPERATOR_KEY: operatorKey }
    service = spawnMuster(['serve'], options(env))
    url = (await service.until(/listening at (http:\/\/127\.0\.0\.1:\d+)/))[1] as string
  })
  after(async () => {
    service.kill('SIGTERM')
    assert.equal((await service.finished).code, 0)
  })

  it('finds the service by its port and the key in the data folder', async () => {
    const { port } = new URL(url)
    const { code, stdout } = await muster(['workflows', 'list', '--json'], options({ PORT: port }))
    assert.deepEqual([code, stdout], [0, '[]\n'])
  })

  it('makes and lists accounts while the service runs', async () => {
    const made = await muster(['accounts', 'create', 'Acme', '--json'], options())
    const { id, admin_key: key } = json(made.stdout)
    assert.match(id, /^acc_/)
    const headers = { authorization: `Bearer ${operatorKey}` }
    const log = await fetch(`${url}/v1/operator/log`, { headers })
    const [newest] = ((await log.json()) as { data: Record<string, unknown>[] }).data
    assert.deepEqual([newest?.['action'], newest?.['object_id']], ['account.created', id])
    const list = await muster(['accounts', 'list'], options())
    assert.match(list.stdout, new RegExp(`^${id} +Acme +active +\\d{4}-`, 'm'))
    assert.match(list.stdout, /default/)
    const created = ['keys', 'list', '--json', '--url', url]
    const keys = await muster(created, options({ MUSTER_API_KEY: key }))
    assert.equal(json(keys.stdout)[0].name, 'first admin key')

    const added = await muster(['accounts', 'add-key', id], options())
    const another = /admin key +(mst_\w{46}) {2}\(shown only once\)/.exec(added.stdout)?.[1] ?? ''
    const after = await muster(created, options({ MUSTER_API_KEY: another }))
    assert.deepEqual(pluck(json(after.stdout), 'name', 'role'), [
      ["operator's admin key", 'admin'],
      ['first admin key', 'admin'],
    ])
    const absent = await muster(['accounts', 'add-key', 'acc_none'], options())
    assert.deepEqual(
      [absent.code, absent.stderr],
      [5, 'error: Cannot add a key: no account acc_none, see muster accounts list\n'],
    )
  })

  it('invites people by a link that a browser here can open', async () => {
    const env = { HOST: '0.0.0.0', PORT: '4000' }
    const invited = await muster(['users', 'invite', 'ada@example.com', 'viewer'], options(env))
    assert.match(invited.stdout, /link +http:\/\/127\.0\.0\.1:4000\/accept-invitation#/)
    // Without HOST and PORT, the link has the address of the service that runs in the data folder.
    const found = await muster(['users', 'invite', 'eva@example.com', 'viewer'], options())
    assert.ok(found.stdout.includes(`${url}/accept-invitation#`), found.stdout)
    const absent = await muster(['users', 'remove', 'bob@example.com'], options())
    assert.deepEqual([absent.code, /no user bob@example\.com/.test(absent.stderr)], [5, true])
    for (const verb of ['list', 'setup-link']) {
      const none = await muster(['users', verb, '--account', 'acc_none'], options())
      const why = 'Cannot do it: no account acc_none, see muster accounts list'
      assert.deepEqual([none.code, none.stderr], [5, `error: ${why}\n`])
    }
  })

  it('suspends, limits, exports and deletes them', async () => {
    const made = await muster(['accounts', 'create', 'Acme', '--json'], options())
    const { id, admin_key: key } = json(made.stdout)
    const suspended = await muster(['accounts', 'suspend', id, '--reason', 'unpaid'], options())
    assert.match(suspended.stdout, /status +suspended/)
    const refused = await muster(['keys', 'list', '--url', url], options({ MUSTER_API_KEY: key }))
    assert.match(refused.stderr, /the operator has suspended the account/)
    assert.match((await muster(['accounts', 'resume', id], options())).stdout, /status +active/)
    const limits = ['--runs-a-day', '5', '--cost-a-month', 'none']
    const limited = await muster(['accounts', 'set-quotas', id, ...limits], options())
    assert.match(limited.stdout, /max runs a day +5/, limited.stderr)
    assert.equal((await muster(['accounts', 'set-quotas', id], options())).code, 2)
    const shown = json((await muster(['accounts', 'show', id, '--json'], options())).stdout)
    assert.deepEqual([shown.max_runs_a_day, shown.use.runs_today], [5, 0])
    const { stdout: lines } = await muster(['accounts', 'export', id], options())
    assert.match(lines, /^\{"type":"accounts",[^]*\{"type":"end","data":\{"rows":\d+\}\}\n$/)
    const careful = await muster(['accounts', 'delete', id], options())
    assert.deepEqual([careful.code, /--yes/.test(careful.stderr)], [2, true])
    const deleted = await muster(['accounts', 'delete', id, '--yes'], options())
    assert.match(deleted.stdout, /status +deleting/)
  })

  it('has nothing to migrate then', async () => {
    const { code, stdout } = await muster(['migrate'], options())
    assert.deepEqual([code, stdout], [0, 'Nothing to apply.\n'])
  })

  it('refuses a second service, in one line', async () => {
    const { code, stderr } = await muster(['serve'], options({ PORT: '0' }))
    assert.equal(code, 2)
    assert.match(
      stderr,
      /^error: Cannot start: another Muster .* already uses the data folder .*\n$/,
    )
  })

  it('says which setting is wrong, in one line', async () => {
    const { code, stderr } = await muster(['serve'], options({ PORT: 'http' }))
    assert.equal(code, 2)
    assert.equal(
      stderr,
      'error: Cannot start: PORT is "http", expected a whole number from 0 to 65535\n',
    )
  })

  it('says that a port is in use', async () => {
    await using other = await makeFolder()
    await using database = await createTestDatabase()
    const { port } = new URL(url)
    for (const name of ['PORT', 'MUSTER_METRICS_PORT']) {
      const settings = { PORT: '0', MUSTER_DATA_DIR: other.path, DATABASE_URL: database.url }
      const env = { ...settings, [name]: port }
      const { code, stderr } = await muster(['serve'], { cwd: other.path, env })
      assert.equal(code, 2)
      const line = `error: Cannot start: ${name} is ${port}, expected a port that is free and may be used`
      assert.ok(stderr.includes(`${line} (listen EADDRINUSE:`), stderr)
    }
  })
})

describe('muster serve with a database of its own', () => {
  it('shows the first admin key although the start fails afterwards', async () => {
    await using database = await createTestDatabase()
    await using folder = await makeFolder()
    await using taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    const start = (env: Record<string, string>) =>
      spawnMuster(['serve', '--role', 'api'], {
        cwd: folder.path,
        env: { DATABASE_URL: database.url, ...env },
      })
    const failed = await start({ PORT: String(port) }).finished
    assert.equal(failed.code, 2)
    const key = /shown only once:\n(mst_\w{46})\n/.exec(failed.stderr)?.[1] ?? ''

    const service = start({ PORT: '0' })
    const url = (await service.until(/listening at (http:\/\/127\.0\.0\.1:\d+)/))[1] as string
    const env = { MUSTER_API_KEY: key, MUSTER_URL: url }
    const listed = await muster(['keys', 'list', '--json'], { cwd: folder.path, env })
    service.kill('SIGTERM')
    assert.equal(json(listed.stdout)[0].name, 'first admin key')
    assert.equal((await service.finished).code, 0)
    assert.doesNotMatch(service.output.stderr, /Admin key/)
  })
})

describe('a start that fails', () => {
  for (const [env, code, line] of [
    [
      { HOST: 'no.such.host.invalid' },
      2,
      /^error: Cannot start: HOST is "no\.such\.host\.invalid", expected an address of this machine.*ENOTFOUND.*$/m,
    ],
    [
      { HOST: '203.0.113.7' },
      2,
      /^error: Cannot start: HOST is "203\.0\.113\.7", expected .*EADDRNOTAVAIL.*$/m,
    ],
    [
      { MUSTER_DATA_DIR: '/dev/null' },
      2,
      /^error: Cannot start: MUSTER_DATA_DIR is "\/dev\/null", expected a folder .*EEXIST.*\n$/,
    ],
    [
      { DATABASE_URL: 'postgresql://me:secret@127.0.0.1:9/none?password=secret' },
      1,
      /^error: Cannot use the database: DATABASE_URL is postgresql:\/\/me:\*\*\*@127\.0\.0\.1:9\/none, expected .*ECONNREFUSED.*\n$/,
    ],
    [
      { DATABASE_URL: 'postgresql://me:secret@no.such.host.invalid/none' },
      1,
      /^error: .*DATABASE_URL is postgresql:\/\/me:\*\*\*@no\.such\.host\.invalid\/none, .*ENOTFOUND.*\n$/,
    ],
  ] as const) {
    it(`names what is wrong in ${JSON.stringify(env)} in one line`, async () => {
      await using folder = await makeFolder()
      // A start needs a database only in the cases that get as far as listening on an address.
      await using database = 'HOST' in env ? await createTestDatabase() : undefined
      const settings = {
        PORT: '0',
        LOG_LEVEL: 'fatal',
        MUSTER_DATA_DIR: folder.path,
        ...(database === undefined ? {} : { DATABASE_URL: database.url }),
      }
      const options = { cwd: folder.path, env: { ...settings, ...env } }
      const failed = await muster(['serve'], options)
      assert.equal(failed.code, code)
      assert.match(failed.stderr, line)
      assert.doesNotMatch(failed.stderr, /secret|^ +at /m)
      if (!('HOST' in env)) assert.equal((await muster(['migrate'], options)).stderr, failed.stderr)
    })
  }

  it('says in one line that the database takes no writes', async () => {
    await using folder = await makeFolder()
    await using database = await createTestDatabase()
    const url = new URL(database.url)
    const settings = { PORT: '0', LOG_LEVEL: 'fatal', MUSTER_DATA_DIR: folder.path }
    const env = { ...settings, DATABASE_URL: url.href }
    const first = spawnMuster(['serve'], { cwd: folder.path, env })
    await first.until(/listening at|Console: /)
    first.kill('SIGTERM')
    await first.finished
    const pool = createPool(database.url, 1)
    const name = decodeURIComponent(url.pathname.slice(1))
    await pool.query(`alter database "${name}" set default_transaction_read_only = on`)
    await pool.end()
    const failed = await muster(['serve'], { cwd: folder.path, env })
    assert.equal(failed.code, 1)
    assert.match(
      failed.stderr,
      /^error: Cannot start: the database takes no writes now \(cannot execute .* in a read-only transaction\)\n$/,
    )
  })
})
