import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../rig/until.ts'
import { complete } from '../../test/test-app.ts'
import { setScene } from './scene.ts'
import type { World } from './world.ts'

const { it } = setScene()

/**
 * The top of the timeline on the page; while it stays the same, nothing above it has changed its
 * height.
 */
const topOfTimeline = async (page: Page) =>
  page.getByRole('list', { name: 'Timeline' }).evaluate((list) => list.getBoundingClientRect().top)
const streamedIn = (page: Page) => page.getByRole('region', { name: 'What is being written' })
const outputIn = (page: Page) => page.getByRole('region', { name: 'Output' })

/** The answer of the scripted model as a stream, which the test writes piece by piece. */
class TextStream {
  #response: ServerResponse | undefined

  open(response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    this.#response = response
  }

  async requested(): Promise<void> {
    await until('the model is asked to stream', 10_000, () => this.#response !== undefined)
  }

  write(content: string): void {
    this.#send({ delta: { role: 'assistant', content } })
  }

  end(): void {
    const usage = { prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 }
    this.#send({ delta: {}, finish_reason: 'stop' }, { usage })
    this.#response?.end('data: [DONE]\n\n')
    this.#response = undefined
  }

  #send(choice: object, more: object = {}): void {
    const body = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'echo', ...more }
    const choices = [{ index: 0, finish_reason: null, ...choice }]
    this.#response?.write(`data: ${JSON.stringify({ ...body, choices })}\n\n`)
  }
}

/** Starts a run whose agents, one for each role, all stream what the test says. */
async function startStreaming({ scripts, muster }: World, name: string, roles: string[]) {
  const stream = new TextStream()
  const systemPrompt = `You speak in ${name}.`
  scripts.set(systemPrompt, (request, response) =>
    'stream' in request ? stream.open(response) : complete(response, 'Unheard.', 1, 1),
  )
  const crew = roles.map((role) => ({ role, systemPrompt }))
  const { id } = await muster.workflows.create({ name, crew })
  const run = await muster.runs.create(id, { input: 'Line 4 stood still.' }, { deltas: true })
  return { stream, path: `/runs/${run.id}` }
}

const sentence = (number: number) => `Sentence ${number} of what the model has to say about it.\n`

describe('what a model says', () => {
  it('appears while it is said, of each step in turn, and stays in place when the run ends', async (given) => {
    const { page, person } = given
    const { stream, path } = await startStreaming(given, 'Spoken', ['planner', 'writer'])
    await page.goto(path)
    const spoken = streamedIn(page)
    await spoken.waitFor()
    await stream.requested()
    await page.getByText('planner is working').waitFor()
    const top = await topOfTimeline(page)
    stream.write('First the \u202epump')
    await spoken.getByText('First the').waitFor()
    await spoken.getByText('U+202E').waitFor()
    await page.getByText('planner is writing').waitFor()
    stream.write(', then the seal.')
    await spoken.getByText(', then the seal.').waitFor()
    await person.findsItAccessible()
    stream.end()

    // The text of the next step appears in the same box; the text of the last step stays until
    // then.
    await stream.requested()
    await page.getByText('writer is working').waitFor()
    await spoken.getByText(', then the seal.').waitFor()
    const said = Array.from({ length: 40 }, (_, number) => sentence(number))
    for (const piece of said.slice(0, 20)) stream.write(piece)
    await spoken.getByText('Sentence 19').waitFor()
    assert.equal(await spoken.getByText('then the seal').count(), 0)
    const atEnd = () =>
      spoken.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 2)
    assert.ok(await atEnd(), 'the end stays in view')
    // A person who has scrolled up to read is not scrolled back to the end.
    await spoken.evaluate((box) => box.scrollTo(0, 0))
    for (const piece of said.slice(20)) stream.write(piece)
    await spoken.getByText('Sentence 39').waitFor()
    assert.equal(await spoken.evaluate((box) => box.scrollTop), 0)
    assert.equal(await topOfTimeline(page), top)
    const whole = await spoken.innerText()
    stream.end()
    await page.getByText('Completed', { exact: true }).waitFor()
    await outputIn(page).waitFor()
    assert.equal((await outputIn(page).innerText()).trim(), whole.trim())
    assert.equal(whole.trim(), said.join('').trim())
    assert.equal(await outputIn(page).evaluate((box) => box.scrollTop), 0)
    assert.equal(await topOfTimeline(page), top)
    await person.press('Show all')
    assert.ok((await topOfTimeline(page)) > top)
    await person.findsItAccessible()
  })

  it('is whole again after the service was away, and is asked for by the page of the run alone', async (given) => {
    const { app, sit } = given
    const { stream, path } = await startStreaming(given, 'Interrupted', ['writer'])
    const first = await app.startAnother('api')
    const url = first.url ?? ''
    const { page } = await sit({ url })
    await page.goto(path)
    await streamedIn(page).waitFor()
    const streams: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/events')) streams.push(new URL(request.url()).search)
    })
    await stream.requested()
    stream.write('Before. ')
    await streamedIn(page).getByText('Before.').waitFor()
    await first[Symbol.asyncDispose]()
    stream.write('Meanwhile. ')
    await using _again = await app.startAnother('api', { PORT: new URL(url).port })
    stream.write('After.')
    await streamedIn(page).getByText('Before. Meanwhile. After.', { exact: true }).waitFor()
    stream.end()
    await outputIn(page).getByText('Before. Meanwhile. After.', { exact: true }).waitFor()
    assert.ok(streams.includes('?deltas=true'), String(streams))

    // A page of an ended run, and any other page, requests no token stream.
    streams.length = 0
    await page.goto(path)
    await page.getByRole('list', { name: 'Timeline' }).getByText('writer').waitFor()
    await page.goto('/runs')
    await page.getByRole('list', { name: 'Runs' }).waitFor()
    assert.ok(streams.length > 0)
    assert.deepEqual(
      streams.filter((query) => query !== ''),
      [],
    )
  })

  it('is bounded on the page, and comes of the offline stand-in as well', async (given) => {
    const { page, person, muster } = given
    const { stream, path } = await startStreaming(given, 'Long', ['writer'])
    await page.goto(path)
    await stream.requested()
    stream.write(`Begin ${'word '.repeat(8_000)}end.`)
    await streamedIn(page).getByText('The end of a long text:').waitFor()
    await streamedIn(page)
      .getByText(/ end\.$/)
      .waitFor()
    const shown = await streamedIn(page).innerText()
    assert.ok(shown.length < 21_000 && shown.endsWith('end.'), String(shown.length))
    stream.end()
    await outputIn(page)
      .getByText(/^Begin word/)
      .waitFor()

    const { id } = await muster.workflows.create({ name: 'Offline', model: 'muster/demo' })
    await page.goto(`/workflows/${id}`)
    await page
      .getByPlaceholder('The text that the crew works on')
      .fill('The pump of line 4 failed on Monday. A seal was worn. Spare seals arrive on Friday.')
    await page.evaluate(growths)
    await person.press('Run and watch')
    await page.getByText('Completed', { exact: true }).waitFor()
    await outputIn(page).getByText('offline stand-in').waitFor()
    const grew = Number(await page.evaluate('globalThis.grew.size'))
    assert.ok(grew >= 5, `the text had ${grew} lengths`)
  })
})

/** Records each length that the text has had. */
const growths = `
  globalThis.grew = new Set()
  new MutationObserver(() => {
    const spoken = document.querySelector('[aria-label="What is being written"]')
    if (spoken !== null) grew.add(spoken.textContent.length)
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
`
