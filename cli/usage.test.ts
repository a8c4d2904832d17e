import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import type { Command } from 'commander'
import { createProgram } from './program.ts'
import { json, mainFile, makeFolder, muster, spawnMuster } from './test-cli.ts'
import { closeServer, freePort, listenOnLoopback } from '../rig/loopback.ts'

const quota = (name: string, value: string): string[] => [
  'accounts',
  'set-quotas',
  'acc_x',
  `--${name}`,
  value,
]

it('every command is in the table of docs/cli.md', async () => {
  const guide = await readFile(join(import.meta.dirname, '../docs/cli.md'), 'utf8')
  const named = guide
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .join('\n')
  const { stdout } = await muster(['--help'])
  const list = /\nCommands:\n([^]*?)\n\n/.exec(stdout)?.[1] ?? ''
  const commands = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name)
  assert.ok(commands.length > 20, stdout)
  const absent = commands.filter((name) => name !== 'help' && !named.includes(`\`${name}`))
  assert.deepEqual(absent, [])
})

it('no line of the help of any command is longer than 80 characters', async () => {
  const pathsOf = (command: Command, path: string[]): string[][] => [
    path,
    ...command.commands.flatMap((one) => pathsOf(one, [...path, one.name()])),
  ]
  const paths = pathsOf(createProgram([]), [])
  assert.ok(paths.length > 150, String(paths.length))
  for (const path of paths) {
    const { stdout } = await muster([...path, '--help'])
    assert.ok(stdout.startsWith('Usage: muster'), path.join(' '))
    const long = stdout.split('\n').filter((line) => line.length > 80)
    assert.deepEqual(long, [], path.join(' '))
  }
})

describe('muster, used wrongly', () => {
  const wrong: [string, string[], RegExp][] = [
    ['an unknown command', ['rnus'], /unknown command 'rnus'[^]*Did you mean/],
    ['an unknown subcommand', ['runs', 'shwo'], /unknown command 'shwo'/],
    ['a missing argument', ['runs', 'show'], /missing required argument 'run'/],
    ['too many arguments', ['runs', 'show', 'a', 'b'], /too many arguments/],
    ['an unknown option', ['workflows', 'list', '--all'], /unknown option '--all'/],
    ['a missing option', ['keys', 'create', '--name', 'x'], /--role/],
    ['a wrong choice', ['serve', '--role', 'boss'], /all, api, worker/],
    ['a wrong number', ['runs', 'list', 'x', '--limit', '0'], /from 1 to 1000/],
    [
      'a wrong address',
      ['workflows', 'list', '--url', 'localhost:3000'],
      /--url is "localhost:3000"/,
    ],
    ['two inputs', ['run', 'x', '-', '--input', 'y'], /one of --input, --file and -/],
    ['a stray word', ['run', 'x', 'words'], /unexpected "words"/],
    ['an empty input', ['run', 'x'], /the input is empty/],
    [
      'a long input',
      ['run', 'x', '--input', 'é'.repeat(16_001)],
      /16001 characters, at most 16000/,
    ],
    ['a missing file', ['run', 'x', '--file', '/nowhere'], /Cannot read \/nowhere: no such file/],
    ['a folder', ['workflows', 'apply', '-f', '/'], /Cannot read \/: it is a folder/],
    ['a demo with two texts', ['demo', '--file', 'x', '--input', 'y'], /one of --file and --input/],
    ['a quota of half a run', quota('runs-a-day', '1.5'), /max_runs_a_day must be .*integer/],
    [
      'a quota past its bound',
      quota('mails-a-day', '2000000'),
      /max_mails_a_day must be <= 1000000/,
    ],
    ['an account without a name', ['accounts', 'create', ' '], /1 to 120 characters/],
  ]
  for (const [name, args, message] of wrong) {
    it(`ends with 2 and says why: ${name}`, async () => {
      const [plain, machine] = await Promise.all([muster(args), muster([...args, '--json'])])
      assert.equal(plain.code, 2)
      assert.equal(plain.stdout, '')
      assert.match(plain.stderr, message)
      assert.match(plain.stderr, /^error: /)
      assert.doesNotMatch(plain.stderr, /\n {4}at /)
      assert.equal(machine.code, 2)
      assert.match(json(machine.stderr).error.message, message)
    })
  }

  it('shows the help without a command and ends with 2', async () => {
    const { code, stderr } = await muster([])
    assert.equal(code, 2)
    assert.match(stderr, /Usage: muster/)
    assert.match(stderr, /130 {2}stopped with Ctrl-C/)
  })

  it('ends with 0 for help and version', async () => {
    const help = await muster(['runs', 'list', '--help'])
    assert.equal(help.code, 0)
    assert.match(help.stdout, /--status[^]*--json/)
    const version = await spawnMuster(['--version']).finished
    assert.equal(version.code, 0)
    assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
  })
})

describe('muster without a service or a key', () => {
  it('says that a disk is full', { skip: !existsSync('/dev/full') }, async () => {
    const full = openSync('/dev/full', 'w')
    const child = spawn(process.execPath, [mainFile, '--help'], { stdio: ['ignore', full, 'pipe'] })
    closeSync(full)
    assert.ok(child.stderr !== null)
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    assert.equal(code, 1)
    assert.match(said, /^error: Cannot write the output: ENOSPC/)
  })

  it('ends as it would where nobody reads its messages any more', async () => {
    await using folder = await makeFolder()
    const child = spawn(process.execPath, [mainFile, 'workflows', 'list'], {
      cwd: folder.path,
      env: {},
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    child.stderr.destroy()
    const [code] = (await once(child, 'exit')) as [number]
    assert.equal(code, 6)
  })

  it('ends with 6 when there is no key', async () => {
    await using folder = await makeFolder()
    const { code, stderr } = await muster(['workflows', 'list'], { cwd: folder.path })
    assert.equal(code, 6)
    assert.match(stderr, /set MUSTER_API_KEY/)
  })

  it('ends with 6 when the key is none that a header can hold', async () => {
    for (const key of ['mst_…', 'two\nlines', 'a b']) {
      const { code, stderr } = await muster(['workflows', 'list'], { env: { MUSTER_API_KEY: key } })
      assert.deepEqual([code, /it has characters that no key has/.test(stderr)], [6, true], key)
    }
  })

  it('sends the key of the data folder to no other machine', async () => {
    await using folder = await makeFolder()
    await writeFile(join(folder.path, 'admin-key'), 'mst_secret\n')
    const env = { MUSTER_DATA_DIR: folder.path, MUSTER_URL: 'http://muster.example:3000' }
    const { code, stderr } = await muster(['workflows', 'list'], { env })
    assert.equal(code, 6)
    assert.match(stderr, /another machine/)
  })

  it('ends with 7 when nobody listens, and reads .env', async () => {
    await using folder = await makeFolder()
    const port = await freePort()
    await writeFile(join(folder.path, '.env'), `PORT=${port}\nMUSTER_API_KEY=mst_x\n`)
    const { code, stderr } = await muster(['--json', 'runs', 'show', 'run_x'], { cwd: folder.path })
    assert.equal(code, 7)
    const { error } = json(stderr)
    assert.equal(error.code, 'unreachable')
    assert.match(error.message, new RegExp(`http://127\\.0\\.0\\.1:${port}: .*ECONNREFUSED`))
  })
})

describe('the service and the key of a command', () => {
  it('may be on the loopback address that HOST names, and is where the data folder says', async () => {
    await using folder = await makeFolder()
    await using server = await startKeyKeeper('::1')
    const { seen, port } = server
    const env = { MUSTER_API_KEY: 'mst_x', PORT: String(port) }
    const list = (more: Record<string, string>) =>
      muster(['connectors', 'list'], { cwd: folder.path, env: { ...env, ...more } })
    assert.equal((await list({ HOST: '::1' })).code, 0)
    // The name of a machine, as some shells set it.
    assert.equal((await list({ HOST: 'laptop.example' })).code, 7)
    await writeFile(join(folder.path, 'admin-key'), 'mst_own\n')
    await writeFile(join(folder.path, 'address'), `http://[::1]:${port}\n`)
    const own = { MUSTER_DATA_DIR: folder.path }
    assert.equal((await muster(['connectors', 'list'], { cwd: folder.path, env: own })).code, 0)
    assert.deepEqual(seen, ['Bearer mst_x', 'Bearer mst_own'])
  })

  it('reads the key from the file that MUSTER_API_KEY_FILE names, but not from that of a .env', async () => {
    await using folder = await makeFolder()
    await using server = await startKeyKeeper()
    const { seen, port } = server
    const file = join(folder.path, 'key')
    await writeFile(file, 'mst_of_file\n')
    const url = `http://127.0.0.1:${port}`
    const list = (env: Record<string, string>) =>
      muster(['connectors', 'list'], { cwd: folder.path, env })
    assert.equal((await list({ MUSTER_URL: url, MUSTER_API_KEY_FILE: file })).code, 0)
    assert.deepEqual(seen, ['Bearer mst_of_file'])
    const both = await list({ MUSTER_URL: url, MUSTER_API_KEY_FILE: file, MUSTER_API_KEY: 'x' })
    assert.deepEqual([both.code, /not both/.test(both.stderr)], [2, true])
    const none = await list({ MUSTER_URL: url, MUSTER_API_KEY_FILE: join(folder.path, 'absent') })
    assert.deepEqual([none.code, /no such file/.test(none.stderr)], [2, true])
    await writeFile(join(folder.path, '.env'), `MUSTER_URL=${url}\nMUSTER_API_KEY_FILE=${file}\n`)
    assert.equal((await list({})).code, 6)
    assert.equal(seen.length, 1)
  })

  it('ends with 7 where a proxy answers that it does not reach the service', async () => {
    const page = '<html><style>p{}</style><h1>Bad Gateway</h1><p>nginx</p></html>'
    for (const [status, code] of [
      [502, 7],
      [504, 7],
      [500, 1],
    ] as const) {
      const server = createServer((_, response) => response.writeHead(status).end(page))
      const port = await listenOnLoopback(server)
      try {
        const env = { MUSTER_URL: `http://127.0.0.1:${port}`, MUSTER_API_KEY: 'x' }
        const ended = await muster(['policies', 'set', '--four-eyes', 'on'], { env })
        assert.equal(ended.code, code, ended.stderr)
        assert.match(ended.stderr, /not from Muster: Bad Gateway nginx\n$/)
      } finally {
        await closeServer(server)
      }
    }
  })
})

describe('a file .env in the current folder', () => {
  it('gives commands that use a service the address and the key only together', async () => {
    await using folder = await makeFolder()
    await using server = await startKeyKeeper()
    const { seen, port } = server
    const url = `http://127.0.0.1:${port}`
    const closed = String(await freePort())
    const cases: {
      file: string
      env?: Record<string, string>
      args?: string[]
      code: number
      key?: string
    }[] = [
      { file: `MUSTER_URL=${url}\nMUSTER_API_KEY=of-file`, code: 0, key: 'of-file' },
      { file: `PORT=${port}\nMUSTER_API_KEY=of-file`, code: 0, key: 'of-file' },
      { file: `PORT=${port}`, env: { MUSTER_API_KEY: 'own', PORT: closed }, code: 7 },
      {
        file: `MUSTER_URL=${url}\nMUSTER_API_KEY=of-file`,
        env: { MUSTER_API_KEY: 'own', PORT: closed },
        code: 7,
      },
      { file: 'MUSTER_API_KEY=of-file', env: { MUSTER_URL: url }, code: 6 },
      { file: 'MUSTER_API_KEY=of-file', args: ['--url', url], code: 6 },
      {
        file: `MUSTER_URL=http://127.0.0.1:${closed}\nMUSTER_API_KEY=of-file`,
        env: { MUSTER_URL: url, MUSTER_API_KEY: 'own' },
        code: 0,
        key: 'own',
      },
    ]
    for (const { file, env = {}, args = [], code, key } of cases) {
      seen.length = 0
      await writeFile(join(folder.path, '.env'), file)
      const ended = await muster(['connectors', 'list', ...args], { cwd: folder.path, env })
      const label = JSON.stringify([file, env, args, ended])
      assert.equal(ended.code, code, label)
      assert.deepEqual(seen, key === undefined ? [] : [`Bearer ${key}`], label)
    }
  })

  it('sends the key of a data folder to the address of its service alone', async () => {
    await using folder = await makeFolder()
    await using server = await startKeyKeeper()
    const { seen, port } = server
    const own = await freePort()
    await writeFile(join(folder.path, 'admin-key'), 'mst_secret\n')
    const list = (...args: string[]) =>
      muster(['connectors', 'list', ...args], { cwd: folder.path })
    for (const [address, names, code] of [
      ['', `PORT=${port}`, 6],
      ['', `MUSTER_URL=http://127.0.0.1:${port}`, 6],
      [`http://127.0.0.1:${own}`, `PORT=${port}`, 6],
      [`http://127.0.0.1:${own}`, `MUSTER_URL=http://127.0.0.1:${port}`, 6],
      [`http://127.0.0.1:${own}`, '', 7],
      [`http://127.0.0.1:${port}`, '', 0],
      [`http://[::1]:${port}`, `PORT=${port}`, 0],
    ] as const) {
      seen.length = 0
      await writeFile(join(folder.path, 'address'), address)
      await writeFile(join(folder.path, '.env'), `MUSTER_DATA_DIR=${folder.path}\n${names}`)
      const ended = await list()
      assert.equal(ended.code, code, JSON.stringify([address, names, ended]))
      assert.deepEqual(seen, code === 0 ? ['Bearer mst_secret'] : [])
    }
    await writeFile(join(folder.path, 'address'), `http://127.0.0.1:${own}`)
    assert.equal((await list('--url', `http://127.0.0.1:${port}`)).code, 0)
  })

  it('that cannot be read ends every command with 2', async () => {
    await using folder = await makeFolder()
    await mkdir(join(folder.path, '.env'))
    for (const args of [
      ['accounts', 'list'],
      ['runs', 'list'],
    ]) {
      const { code, stderr } = await muster(args, { cwd: folder.path })
      assert.deepEqual([code, stderr], [2, 'error: Cannot read .env: it is a folder\n'])
    }
  })

  it('is read whole by the commands that run the service or open its database', async () => {
    await using folder = await makeFolder()
    await writeFile(join(folder.path, '.env'), 'LOG_LEVEL=loud\n')
    for (const args of [['demo'], ['serve'], ['migrate'], ['accounts', 'list']]) {
      const { code, stderr } = await muster(args, { cwd: folder.path })
      assert.equal(code, 2, stderr)
      assert.match(stderr, /LOG_LEVEL/)
    }
  })
})

/** A server that answers every request with an empty list and records the keys it receives. */
async function startKeyKeeper(
  host = '127.0.0.1',
): Promise<AsyncDisposable & { port: number; seen: (string | undefined)[] }> {
  const seen: (string | undefined)[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.setHeader('content-type', 'application/json').end('{"data":[]}')
  })
  const port = await listenOnLoopback(server, host)
  return { seen, port, [Symbol.asyncDispose]: () => closeServer(server) }
}
