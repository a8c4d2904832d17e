import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { until as untilTrue } from '../../rig/until.ts'
import { isPostmasterOf, readPidFile } from '../embedded/process.ts'

for (const end of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
  for (const moment of ['its setup', 'a test'] as const) {
    void test(`no server and no folder is left when ${end} ends a run during ${moment}`, async () => {
      await using run = await startHangingRun()
      await until(async () => {
        assert.ok(run.isRunning(), 'the run ended early')
        return moment === 'a test' ? await run.isInTest() : (await run.findServer()) !== undefined
      })
      // A terminal sends its signals to the whole process group.
      process.kill(-run.pid, end)
      await until(async () => !run.isRunning())
      await until(async () => (await run.findServer()) === undefined)
      await until(async () => (await run.findFolder()) === undefined)
    })
  }
}

interface Run extends AsyncDisposable {
  pid: number
  isRunning(): boolean
  isInTest(): Promise<boolean>
  findFolder(): Promise<string | undefined>
  findServer(): Promise<number | undefined>
}

/** Starts a test run of its own, in its own temporary folder, whose only test never ends. */
async function startHangingRun(): Promise<Run> {
  const temporary = await mkdtemp(join(tmpdir(), 'muster-run-'))
  await chmod(temporary, 0o711)
  const file = join(temporary, 'hanging.test.ts')
  const mark = join(temporary, 'in-test')
  await writeFile(
    file,
    `import { writeFileSync } from 'node:fs'
     import { test } from 'node:test'
     test('hangs', () => {
       writeFileSync(${JSON.stringify(mark)}, '')
       return new Promise((resolve) => setTimeout(resolve, 600_000))
     })`,
  )
  const { NODE_TEST_CONTEXT: _nested, MUSTER_TEST_SERVER_URL: _ours, ...env } = process.env
  const setup = join(import.meta.dirname, 'test-database.ts')
  const runner = spawn(process.execPath, ['--test', `--test-global-setup=${setup}`, file], {
    detached: true,
    stdio: 'ignore',
    env: { ...env, TMPDIR: temporary },
  })
  const isRunning = (): boolean => runner.exitCode === null && runner.signalCode === null
  const findFolder = async (): Promise<string | undefined> => {
    const name = (await readdir(temporary)).find((name) => name.startsWith('muster-test-'))
    return name === undefined ? undefined : join(temporary, name)
  }
  return {
    pid: runner.pid ?? 0,
    isRunning,
    isInTest: async () => (await readdir(temporary)).includes('in-test'),
    findFolder,
    async findServer() {
      const cluster = join((await findFolder()) ?? '', 'data', 'postgres')
      const left = await readPidFile(cluster)
      if (left === undefined) return undefined
      return (await isPostmasterOf(left.pid, cluster)) ? left.pid : undefined
    },
    async [Symbol.asyncDispose]() {
      if (isRunning()) process.kill(-(runner.pid ?? 0), 'SIGKILL')
      await until(async () => (await findFolder()) === undefined)
      await rm(temporary, { recursive: true })
    },
  }
}

const until = (isTrue: () => Promise<boolean>): Promise<void> =>
  untilTrue('what the test expects', 60_000, isTrue, 10)
