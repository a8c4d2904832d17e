import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { Muster } from '../../sdk/index.ts'
import { callTools, complete, toolResults } from '../../test/test-app.ts'
import { setScene } from './scene.ts'

const { it } = setScene()

const lookUp = {
  name: 'lookup_order',
  description: 'Finds the state of an order.',
  input_schema: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  sensitive: false,
}

describe('a tool of one’s own process', () => {
  it('is given to an agent, waits for a worker, and is seen to be done', async (given) => {
    const { page, person, app, muster, scripts } = given
    scripts.set('Look up the order.', (request, response) => {
      const [found] = toolResults(request)
      if (found !== undefined) return complete(response, `It is ${found}.`)
      callTools(response, [{ name: 'app__lookup_order', arguments: '{"order":"4712"}' }])
    })
    const crew = [{ role: 'clerk', systemPrompt: 'Look up the order.' }]
    const { id } = await muster.workflows.create({ name: 'Orders', crew })
    await page.goto(`/workflows/${id}`)
    await page.getByRole('button', { name: /clerk/ }).first().press('Enter')
    await page.getByText('Your own tools · none').click()
    const field = page.getByRole('textbox', { name: 'Your own tools' })
    await field.fill('[{')
    await page.getByText('Enter a JSON list').waitFor()
    await field.fill(JSON.stringify([lookUp]))
    await page.getByText('Your own tools · 1 tool').waitFor()
    await person.publish()
    const [entry] = (await muster.workflows.retrieve(id)).crew
    assert.deepEqual(entry?.tools, [{ ...lookUp, timeout_seconds: 300 }])

    const run = await muster.runs.create(id, { input: 'Where is 4712?' })
    await page.goto('/tool-calls')
    const calls = page.getByRole('list', { name: 'Calls' })
    await calls.getByText('waiting for a worker').waitFor()
    await calls.getByText('{"order":"4712"}').waitFor()
    await page.getByText('No workers yet').waitFor()

    const { key: apiKey } = await muster.api_keys.create({ name: 'Order lookup', role: 'worker' })
    const worker = new Muster({ apiKey, baseUrl: app.url })
    const stop = new AbortController()
    const served = worker.tools.serve(
      { lookup_order: ({ order }) => `${String(order)}: shipped` },
      { signal: stop.signal },
    )
    await calls.getByText('done').waitFor()
    const workers = page.getByRole('list', { name: 'Workers' })
    await workers.getByText('online').waitFor()
    await workers.getByText('Order lookup').waitFor()
    await workers.getByText('lookup_order').waitFor()
    stop.abort()
    await served
    await person.findsItAccessible()
    await calls.getByRole('link', { name: 'View run' }).press('Enter')
    await page.getByText('It is 4712: shipped.').first().waitFor()
    assert.equal((await muster.runs.retrieve(run.id)).status, 'completed')
  })
})
