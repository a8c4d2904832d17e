import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { Page, Request } from 'playwright-core'
import { Muster } from '../../sdk/client.ts'
import { startTestApp } from '../../test/test-app.ts'
import { setScene } from './scene.ts'

const { it } = setScene()
const mayFault = { mayFault: true } as const

describe('what changes while somebody looks', () => {
  it('is a run from queued to completed, also over a reload', async ({ sit }) => {
    await using api = await startTestApp({ role: 'api' })
    const muster = new Muster({ apiKey: api.key, baseUrl: api.url })
    const workflow = await muster.workflows.create({ name: 'Watched' })
    const run = await muster.runs.create(workflow.id, { input: 'Line 4 stood still.' })
    const { page, findsItAccessible, seesAll } = await sit({ url: api.url, key: api.key })
    await page.goto('/')
    await page.getByText('No worker is online').waitFor()
    await findsItAccessible()
    await page.goto(`/runs/${run.id}`)
    await page.getByText('Queued', { exact: true }).waitFor()
    await page.reload()
    await page.getByText('Queued', { exact: true }).waitFor()
    const held = page.getByRole('region', { name: 'Held' })
    await held.getByText('No worker has started it').waitFor()
    await findsItAccessible()
    await using _worker = await api.startAnother('worker')
    await page.getByText('Completed', { exact: true }).waitFor()
    await held.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    await page.getByRole('list', { name: 'Timeline' }).getByText('writer').waitFor()
    await page.goto('/')
    await page.getByText('1 worker online').waitFor()
    // A chart that is loaded while the page closes is reported as not loaded.
    await seesAll()
  })

  it('is a run that waits, goes on and is cancelled, all by the keyboard', async (given) => {
    const { page, start } = given
    const started = await start('ask {"question": "Which line?"}')
    await page.goto(`/runs/${started.runId}`)
    await page.getByRole('region', { name: 'Waiting for a person' }).waitFor()
    await page.keyboard.press('j')
    await page.getByRole('region', { name: /^Detail: / }).waitFor()
    await page.getByRole('link', { name: 'Answer' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('article').waitFor()
    await page.keyboard.press('r')
    await page.keyboard.type('Line 4.')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Answer sent').waitFor()
    assert.equal((await started.rests()).status, 'completed')

    const other = await start('ask {"question": "Which line?"}')
    await page.goto(`/runs/${other.runId}`)
    await page.getByRole('button', { name: 'Cancel' }).press('Enter')
    await page.getByRole('button', { name: 'Cancel run' }).press('Enter')
    await page.getByText('Cancelled', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Retry' }).press('Enter')
    await page.getByRole('link', { name: 'Retry of an earlier run' }).waitFor()
  })

  it('is the service itself: killed and started, it is found again and nothing typed is lost', async ({
    sit,
    openCase,
    start,
    app,
  }) => {
    const started = await start('ask {"question": "Which line?"}')
    const first = await app.startAnother('api')
    const url = first.url ?? ''
    const person = await sit({ url })
    const page = await openCase(person.page, started)
    await page.getByLabel('Your answer').fill('Line 4.')
    await first[Symbol.asyncDispose]()
    await page.getByRole('alert').getByText('The service does not answer.').first().waitFor()
    await page.getByRole('status').getByText('Connecting again…').waitFor()
    assert.equal(await page.getByLabel('Your answer').inputValue(), 'Line 4.')
    // On a phone too, no notice covers the button, even where its text takes two lines.
    await page.setViewportSize({ width: 320, height: 420 })
    await page.evaluate('scrollTo(0, 0)')
    const notice = await page.getByRole('status').filter({ hasText: 'Not live' }).boundingBox()
    const button = await page.getByRole('button', { name: 'Send answer' }).boundingBox()
    assert.ok(notice && button && button.y + button.height <= notice.y)
    await using _second = await app.startAnother('api', { PORT: new URL(url).port })
    await page.getByRole('alert').first().waitFor({ state: 'detached' })
    await page.getByText('Connecting again…').waitFor({ state: 'detached' })
    await person.press('Send answer')
    await page.getByText('Answer sent').waitFor()
  })

  it(
    'is a line that fails while a screen is loaded, which is there once somebody tries again',
    mayFault,
    async ({ page }) => {
      await page.goto('/')
      await page.route('**/audit-screen-*.js', (route) => route.abort())
      await page.getByRole('link', { name: 'Audit' }).click()
      const again = page.getByRole('button', { name: 'Try again' })
      await again.waitFor()
      await page.unroute('**/audit-screen-*.js')
      await again.click()
      await page.getByRole('heading', { name: 'Audit' }).waitFor()
    },
  )

  for (const host of ['127.0.0.1', 'muster.internal']) {
    it(`is seen in seven tabs at once, over two streams, at http://${host}`, async (given) => {
      const { muster, start, app, sit, respond } = given
      const { runId, workflowId } = await start('ask {"question": "Which line?"}')
      const url = app.url.replace('127.0.0.1', host)
      const { page: first, context } = await sit({ url, key: app.key })
      const open = new Map<Request, Page>()
      context.on('request', (request) => {
        if (new URL(request.url()).pathname.endsWith('/events'))
          open.set(request, request.frame().page())
      })
      context.on('requestfinished', (request) => open.delete(request))
      context.on('requestfailed', (request) => open.delete(request))
      const assertFewStreams = () => {
        const streams = [...open].filter(([, page]) => !page.isClosed())
        assert.ok(
          streams.length <= 2,
          `open: ${streams.map(([request]) => request.url()).join(' ')}`,
        )
      }
      const tabs = [first]
      while (tabs.length < 7) tabs.push(await context.newPage())
      for (const page of tabs) {
        await page.goto(`${url}/runs/${runId}`)
        await page.getByRole('region', { name: 'Waiting for a person' }).waitFor()
      }
      assert.equal(await first.evaluate('isSecureContext'), host === '127.0.0.1')
      await tabs[3]?.getByText('text as it is written is in another tab').waitFor()
      assertFewStreams()
      // The first tab holds both streams; when it closes, others open them.
      await tabs.shift()?.close()
      await respond(runId, { action: 'input', input: 'Line 4.' })
      for (const page of tabs) await page.getByRole('heading', { name: 'Output' }).waitFor()
      for (const page of tabs) {
        const timeline = page.getByRole('list', { name: 'Timeline' })
        await timeline.getByText('Waiting: a question').waitFor()
      }
      // A list that is refreshed by hints alone gets the new run too.
      await tabs[0]?.goto(`${url}/runs?workflow=${workflowId}`)
      await tabs[0]?.getByText('Order 4711 came late.').waitFor()
      await muster.runs.create(workflowId, { input: 'Comes by a hint' })
      await tabs[0]?.getByText('Comes by a hint').waitFor()
      assertFewStreams()
    })
  }

  it('is a list that stays in place under the pointer, and shows what is newer when asked', async (given) => {
    const { page, muster } = given
    const workflow = await muster.workflows.create({ name: 'In place' })
    const trigger = (input: string) => muster.runs.create(workflow.id, { input })
    await muster.runs.wait((await trigger('First of all')).id)
    await page.goto(`/runs?workflow=${workflow.id}`)
    const list = page.getByRole('list', { name: 'Runs' })
    await list.getByText('First of all').waitFor()
    await trigger('Comes by itself')
    await list.getByText('Comes by itself').waitFor()
    await list.getByText('First of all').hover()
    await trigger('Waits above')
    const newer = page.getByRole('button', { name: '1 new run' })
    // The button stays while the pointer moves to it, and no row is inserted under it.
    await newer.hover()
    await page.waitForTimeout(200)
    assert.equal(await list.getByText('Waits above').count(), 0)
    await newer.click()
    await list.getByText('Waits above').waitFor()
    await newer.waitFor({ state: 'detached' })
  })
})
