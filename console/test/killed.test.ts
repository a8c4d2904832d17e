import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { createWorkflow, triggerRun } from '../../rig/api.ts'
import { adminKey, startMuster } from '../../rig/muster-process.ts'
import { makeScratchFolder } from '../../rig/scratch-folder.ts'
import { startScriptedServer } from '../../rig/scripted-server.ts'
import { createTestDatabase } from '../../server/db/test-database.ts'
import { complete } from '../../test/test-app.ts'
import { sitDown, startBrowser } from './person.ts'

it('a run that somebody watches goes on before their eyes when the service was killed and started', async () => {
  await using folder = await makeScratchFolder()
  await using testDatabase = await createTestDatabase()
  let isSilent = true
  await using models = await startScriptedServer((response) => {
    if (!isSilent) complete(response, 'The seal was worn.')
  })
  const modelsFile = join(folder.path, 'models.json')
  const providers = [{ id: 'loopback', base_url: `${models.url}/v1` }]
  const bench = { id: 'bench', provider: 'loopback', price_in: 1, price_out: 4 }
  await writeFile(modelsFile, JSON.stringify({ providers, models: [bench] }))
  const env = { DATABASE_URL: testDatabase.url, MUSTER_MODELS_FILE: modelsFile }
  await using first = await startMuster({ folder: folder.path, env })
  const runId = await triggerRun(first.url, await createWorkflow(first.url), 'Line 4 stood still.')
  await models.until(() => models.requests.length > 0)

  const browser = await startBrowser()
  try {
    await using person = await sitDown(browser, { url: first.url, key: adminKey })
    const { page } = person
    await page.goto(`/runs/${runId}`)
    await page.getByText('Running', { exact: true }).waitFor()
    await first.kill()
    const notice = page.getByRole('status').getByText('Connecting again…')
    await notice.waitFor()
    await person.findsItAccessible()
    isSilent = false
    const PORT = new URL(first.url).port
    await using _second = await startMuster({ folder: folder.path, env: { ...env, PORT } })
    await page.getByText('Completed', { exact: true }).waitFor({ timeout: 60_000 })
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    await notice.waitFor({ state: 'detached' })
    await page.getByRole('alert').first().waitFor({ state: 'detached' })
    person.sawNoFault()
  } finally {
    await browser.close()
  }
})
