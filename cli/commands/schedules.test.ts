import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { fixture } from '../../test/fixture.ts'
import { startTestApp } from '../../test/test-app.ts'
import { json, makeFolder, muster, type Finished } from '../test-cli.ts'

describe('muster schedules', () => {
  const app = fixture(() => startTestApp())
  const folder = fixture(() => makeFolder())

  const call = (...args: string[]): Promise<Finished> => {
    const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
    return muster(['schedules', ...args], { env, cwd: folder.path })
  }

  it('applies a file that names its workflow, and starts, pauses and shows what came of it', async () => {
    await app.createWorkflow({ name: 'Weekly report' })
    const file = join(folder.path, 'mondays.yaml')
    const text =
      'name: Mondays\nworkflow_id: Weekly report\ncron: 0 9 * * 1\ntime_zone: Europe/Berlin\ninput: Report.\n'
    await writeFile(file, text)
    const made = await call('apply', '-f', file)
    assert.match(made.stdout, /^Created Mondays \(sch_\w+\)\.\n$/, made.stderr)
    await writeFile(file, text.replace('0 9', '0 25'))
    const wrong = await call('apply', '-f', file)
    assert.match(wrong.stderr, /line 3.*Invalid value for hour: 25/s)
    await writeFile(file, text.replace('0 9', '0 8'))
    assert.match((await call('apply', '-f', file)).stdout, /^Updated Mondays/)

    const listed = await call('list')
    assert.equal(listed.stderr, '')
    assert.match(listed.stdout, /Mondays +active +Every Monday at 08:00 \(Europe\/Berlin\)/)
    assert.equal(json((await call('preview', 'Mondays', '--json')).stdout).due.length, 10)
    const fired = json((await call('trigger', 'Mondays', '--json')).stdout)
    assert.equal((await app.rest(fired.run_id)).input, 'Report.')
    assert.match((await call('firings', 'Mondays')).stdout, /manual +fired +run_\w+ +completed/)
    assert.match((await call('pause', 'Mondays')).stdout, /^Mondays \(sch_\w+\) is paused\.\n$/)
    const next = await call('next', '--every', '3600')
    assert.match(next.stdout, /Every hour/)
  })
})
