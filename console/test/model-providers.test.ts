import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { send, startScriptedServer } from '../../rig/scripted-server.ts'
import { chatWire } from '../../server/models/test-provider-wire.ts'
import { setScene } from './scene.ts'

const { it } = setScene()
const key = 'sk-typed-in-the-console'

/** A server with OpenAI's API that lists two models and accepts one key. */
const startProvider = () =>
  startScriptedServer((response, call) => {
    const { path, headers } = server.requests[call - 1] ?? { path: '', headers: {} }
    if (headers.authorization !== `Bearer ${key}`) {
      return send(response, { error: { message: 'Incorrect API key provided' } }, 401)
    }
    if (path.endsWith('/models'))
      return send(response, { data: [{ id: 'small' }, { id: 'large' }] })
    const usage = chatWire.usage(3, 2)
    send(response, chatWire.whole({ text: 'Own words.', finish: 'stop', usage }))
  })
let server: Awaited<ReturnType<typeof startProvider>>

describe('model providers', () => {
  it('connects a server, runs a crew on its model, and shows why it fails', async (given) => {
    const { page, muster, person, press } = given
    server = await startProvider()
    await using _ = server
    await page.goto('/model-providers')
    await press('Add a server')
    await page.getByLabel('Id', { exact: true }).fill('lab')
    await page.getByLabel('Base URL').fill('http://10.1.1.1/v1')
    await page.getByLabel('API key').fill(key)
    await press('Save and test')
    await page
      .getByText(/base_url host 10.1.1.1 is not publicly reachable/)
      .first()
      .waitFor()
    await page.getByLabel('Base URL').fill(server.url)
    await press('Save and test')
    const card = page.getByRole('region', { name: 'lab' })
    await card.getByText('Working', { exact: true }).waitFor()
    await card.getByText('2 models').click()
    await card.getByText('lab/large').waitFor()
    assert.ok(!(await page.content()).includes(key))

    await page.goto('/workflows/new')
    await page.getByRole('tab', { name: 'Model' }).click()
    await page.getByRole('combobox', { name: 'Model' }).selectOption('lab/small')
    const { id } = await muster.workflows.create({
      name: 'On our own',
      model: 'lab/small',
      crew: [{ role: 'writer', systemPrompt: 'Write.' }],
    })
    const run = await muster.runs.create(id, { input: 'x' })
    assert.equal((await muster.runs.wait(run.id)).output, 'Own words.')

    await page.goto('/model-providers')
    await card.getByRole('button', { name: 'Change' }).click()
    await page.getByLabel('API key').fill('sk-another')
    await press('Save and test')
    await card.getByText('Failing').waitFor()
    await card.getByText('status 401, Incorrect API key provided').waitFor()
    await person.findsItAccessible()
    await card.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await card.waitFor({ state: 'detached' })
    await page.goto(`/workflows/${id}`)
    await page
      .getByText(/lab\/small cannot be run/)
      .first()
      .waitFor()
  })

  it('lists models that have ended apart, and offers them nowhere', async ({ page }) => {
    await page.goto('/model-providers')
    await page.getByText('Ended models').waitFor()
    await page.getByText('gpt-4.1-nano', { exact: true }).waitFor()
    await page.goto('/workflows/new')
    await page.getByRole('tab', { name: 'Model' }).click()
    const options = page.getByRole('combobox', { name: 'Model' }).getByRole('option')
    await options.nth(3).waitFor({ state: 'attached' })
    assert.ok(!(await options.allInnerTexts()).some((text) => text.includes('gpt-4.1-nano')))
  })
})

describe('an entry of a crew', () => {
  it('gets tools and a limit of tokens of its own, and keeps them', async (given) => {
    const { page, muster, person } = given
    const crew = [{ role: 'clerk', systemPrompt: 'Act.' }]
    const { id } = await muster.workflows.create({ name: 'Acts', crew })
    await page.goto(`/workflows/${id}`)
    await page.getByRole('button', { name: /clerk/ }).first().click()
    await page.getByLabel('Max tokens per turn').fill('512')
    await page.getByText(/^Tools · none/).click()
    await page.getByLabel('crm.refund').check()
    await person.publish()
    const [entry] = (await muster.workflows.retrieve(id)).crew
    assert.deepEqual(
      [entry?.connectors, entry?.capabilities, entry?.maxTokens],
      [['crm'], ['crm.refund'], 512],
    )
    await page.reload()
    await page.getByRole('button', { name: /clerk/ }).first().click()
    await page.getByText(/^Tools · 1 action/).waitFor()
    assert.equal(await page.getByLabel('Max tokens per turn').inputValue(), '512')
  })
})

describe('an account without a model', () => {
  const { it } = setScene({ isNew: true, env: { MUSTER_SHARE_MODEL_KEYS: 'off' } })

  it('is led to connect one first', async ({ page }) => {
    await page.goto('/')
    await page.getByRole('link', { name: 'Connect a model' }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Model providers' }).waitFor()
    const card = page.getByRole('region', { name: 'OpenAI' })
    await card.getByRole('button', { name: 'Add key' }).waitFor()
  })
})
