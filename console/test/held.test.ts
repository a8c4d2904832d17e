import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Browser } from 'playwright-core'
import { send } from '../../rig/scripted-server.ts'
import { Muster } from '../../sdk/client.ts'
import { echo, startTestApp } from '../../test/test-app.ts'
import { sitDown, startBrowser } from './person.ts'

let browser: Browser
before(async () => {
  browser = await startBrowser()
})
after(() => browser.close())

const crew = [{ role: 'writer', systemPrompt: 'Write.' }]

describe('a run that is held says why', () => {
  it('when the provider of its model is away, and goes on when it is back', async () => {
    let isDown = true
    await using app = await startTestApp({
      answer: (request, response) => {
        if (!isDown) return echo(request, response)
        response.setHeader('retry-after', '5')
        send(response, { error: { message: 'overloaded' } }, 503)
      },
    })
    const muster = new Muster({ apiKey: app.key, baseUrl: app.url })
    const { id } = await muster.workflows.create({ name: 'Away', crew })
    const run = await muster.runs.create(id, { input: 'Line 4.' })
    await using person = await sitDown(browser, { url: app.url, key: app.key })
    const { page } = person
    await page.goto(`/runs/${run.id}`)
    const held = page.getByRole('region', { name: 'Held' })
    await held.getByText('The model’s provider did not answer').waitFor()
    await held.getByText(/^Next try: /).waitFor()
    await person.findsItAccessible()
    await page.getByText('Running', { exact: true }).waitFor()
    isDown = false
    await page.getByText('Completed', { exact: true }).waitFor({ timeout: 40_000 })
    await held.waitFor({ state: 'detached' })
    person.sawNoFault()
  })

  it('when other runs of its account come first', async () => {
    const underWay: (() => void)[] = []
    let isFree = false
    await using app = await startTestApp({
      env: { MUSTER_ACCOUNT_CONCURRENCY: '1' },
      answer: (request, response) => {
        if (isFree) echo(request, response)
        else underWay.push(() => echo(request, response))
      },
    })
    const muster = new Muster({ apiKey: app.key, baseUrl: app.url })
    const { id } = await muster.workflows.create({ name: 'Crowded', crew })
    const first = await muster.runs.create(id, { input: 'First.' })
    await app.models.until(() => underWay.length > 0)
    const second = await muster.runs.create(id, { input: 'Second.' })
    // As if it had waited for a moment already.
    await sql`update jobs set ready_at = ready_at - interval '3 s'
              where run_id = ${second.id}`.execute(app.database)
    await using person = await sitDown(browser, { url: app.url, key: app.key, width: 390 })
    const { page } = person
    await page.goto(`/runs/${second.id}`)
    const held = page.getByRole('region', { name: 'Held' })
    await held.getByText('Other runs of this account come first').waitFor()
    await held.getByText(/as many runs in progress as it may have at once \(1\)/).waitFor()
    await page.getByText('The run waits until a worker takes it.').waitFor()
    await person.findsItAccessible()
    const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
    assert.ok(wide <= 390, `${wide} px wide`)
    isFree = true
    for (const answer of underWay) answer()
    await muster.runs.wait(first.id)
    await page.getByText('Completed', { exact: true }).waitFor()
    person.sawNoFault()
  })
})
