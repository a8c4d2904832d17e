import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setScene } from './scene.ts'
import { refundScript } from './world.ts'

const { it } = setScene()
const words = 'You are offline. Try again when the connection is back.'

describe('a page that is offline', () => {
  it('fails what is pressed at once, keeps the text, and sends nothing later', async (given) => {
    const { page, person, start, context, muster, openCase, press } = given
    const started = await start(refundScript)
    await page.goto(`/runs/${started.runId}`)
    await page.getByRole('link', { name: 'Answer' }).click()
    await page.getByRole('article').waitFor()
    await person.seesAll()
    const answers: string[] = []
    page.on('response', (response) => {
      if (response.request().method() === 'POST') answers.push(response.url())
    })
    await context.setOffline(true)
    await press('Approve')
    await page.getByRole('alert').getByText(words).waitFor()
    await press('Reject')
    await page.getByLabel('Reason').fill('Ask accounting first.')
    await press('Reject')
    await page.getByRole('alert').getByText(words).waitFor()
    await page.goBack()
    await page.getByRole('article').waitFor({ state: 'detached' })
    const read = page.waitForResponse((response) => response.url().includes('/v1/runs'))
    await context.setOffline(false)
    await read
    await person.seesAll()
    assert.deepEqual(answers, [], 'the connection came back, and nothing was decided')
    assert.equal((await muster.runs.retrieve(started.runId)).status, 'waiting_input')
    await openCase(page, started)
    assert.equal(await page.getByLabel('Reason').inputValue(), 'Ask accounting first.')
    await press('Reject')
    await page.getByText('You rejected this').waitFor()
    assert.equal((await started.result()).call?.decision, 'rejected')
  })

  it('says that what it reads waits for the connection, and reads it then', async (given) => {
    const { page, start, context, muster } = given
    await start('say Done.')
    const [one, two] = ['Clerk one', 'Clerk two']
    for (const name of [one, two]) {
      await muster.agents.create({ name, role: 'clerk', systemPrompt: 'Be kind.' })
    }
    await page.goto('/agents')
    await page.getByRole('link', { name: one }).click()
    await page.getByRole('heading', { level: 1, name: one }).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: two }).waitFor()
    await context.setOffline(true)
    await page.getByRole('link', { name: two }).click()
    await page.getByText('You are offline. This loads when the connection is back.').waitFor()
    await context.setOffline(false)
    await page.getByRole('heading', { level: 1, name: two }).waitFor()
  })
})
