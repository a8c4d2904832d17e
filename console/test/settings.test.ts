import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { startLoginServer } from '../../rig/login-server.ts'
import { createAccount } from '../../server/accounts/create-account.ts'
import { startTestHttpApi } from '../../server/connectors/http/test-http-api.ts'
import { setScene } from './scene.ts'

const { it } = setScene()

const endpoint = { url: 'https://127.0.0.1:9/', events: ['run.failed' as const] }

describe('settings', () => {
  it('offers to test and disconnect what the account has connected, and nothing else', async (given) => {
    const { page } = given
    await page.goto('/connectors')
    const buttonsOf = async (name: string, status: string) => {
      const card = page.getByRole('region', { name, exact: true })
      await card.getByText(status, { exact: true }).waitFor()
      return card.getByRole('button').allInnerTexts()
    }
    // The web needs no credentials, and email has the operator's, so neither offers a form for
    // them.
    assert.deepEqual(await buttonsOf('Web', 'Ready'), ['Connect'])
    assert.deepEqual(await buttonsOf('Email', 'Ready'), ['Connect'])
    assert.deepEqual(await buttonsOf('crm', 'Working'), ['Test', 'Change', 'Disconnect'])
  })

  it('connects an MCP server and tests it', async ({ page, mcp, press }) => {
    await page.goto('/connectors')
    await press('Add an MCP server')
    await page.getByLabel('Id').fill('ledger')
    await page.getByLabel('Address').fill(mcp.url.replace('mcp.test', '127.0.0.1'))
    await press('Connect')
    const card = page.getByRole('region', { name: 'ledger' })
    await card.getByText('Working', { exact: true }).waitFor()
    await card.getByRole('button', { name: 'Test' }).click()
    await card.getByRole('status').waitFor()
    await card.getByText('1 action').click()
    await card.getByText('changes other systems').waitFor()
  })

  it('connects an HTTP API by a pasted document, picks an operation and tries it', async ({
    page,
    muster,
    press,
  }) => {
    await using api = await startTestHttpApi()
    const parameter = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
    const paths = {
      '/orders/{id}': { get: { operationId: 'getOrder', parameters: [parameter] } },
      '/orders': { post: { operationId: 'searchOrders' } },
      '/far': { get: { operationId: 'far', servers: [{ url: 'https://other.example' }] } },
    }
    const document = { openapi: '3.1.0', info: { title: 'Shop', version: '1' }, paths }
    await page.goto('/connectors')
    await press('Add an HTTP API')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Id', { exact: true }).fill('shop')
    await dialog.getByLabel('Source').selectOption('OpenAPI document as a file or text')
    await dialog.getByLabel('Document', { exact: true }).fill(JSON.stringify(document))
    await dialog.getByLabel('Base address').fill(api.url)
    await dialog.getByLabel('Login').selectOption('Bearer token')
    await dialog.getByLabel('Token').fill('console-secret-1')
    await press('Read operations')
    await dialog.getByText('0 of 3 operations selected').waitFor()
    await dialog.getByText('Cannot be offered: it has a server of its own').waitFor()
    await dialog.getByLabel(/^getOrder/).check()
    await dialog.getByLabel(/^searchOrders/).check()
    await dialog.getByLabel('searchOrders only reads').check()
    await press('Connect')
    const card = page.getByRole('region', { name: 'shop' })
    await card.getByText('2 actions').waitFor()
    await card.getByText('1 operation not available').waitFor()
    await card.getByRole('button', { name: 'Try an action' }).click()
    await dialog.getByLabel('Arguments').fill('{"id": "7"}')
    await dialog.getByRole('button', { name: 'Send request' }).click()
    await dialog.getByText('Succeeded').waitFor()
    await dialog.getByText('{"ok":true}').waitFor()
    assert.equal(api.requests[0]?.path, '/orders/7')
    assert.equal(api.requests[0]?.headers.authorization, 'Bearer console-secret-1')
    const [shop] = (await muster.connectors.list()).filter(({ id }) => id === 'shop')
    assert.deepEqual(shop?.safe, ['getOrder', 'searchOrders', 'far'])
    await muster.connectors.disconnect('shop')
  })

  it('picks tools of a server that has more than can be offered', async ({ page, mcp, press }) => {
    const [refund] = mcp.tools
    assert.ok(refund !== undefined)
    mcp.tools = Array.from({ length: 120 }, (_, n) => ({ ...refund, name: `tool_${n}` }))
    await page.goto('/connectors')
    await press('Add an MCP server')
    await page.getByLabel('Id').fill('large')
    await page.getByLabel('Address').fill(mcp.url.replace('mcp.test', '127.0.0.1'))
    await press('Connect')
    await page.getByText('0 of 120 tools selected').waitFor()
    await page.getByLabel('tool_7', { exact: true }).check()
    await page.getByLabel('tool_118', { exact: true }).check()
    await press('Connect')
    const card = page.getByRole('region', { name: 'large' })
    await card.getByText('2 actions').click()
    await card.getByText('large.tool_118').waitFor()
    mcp.intercept = (_, response) => {
      response.writeHead(403).end('No seat left')
      return true
    }
    await card.getByRole('button', { name: 'Test' }).click()
    await card.getByText('Failing').waitFor()
    mcp.intercept = () => false
    await page.reload()
    await card.getByText('No seat left').waitFor()
  })

  it('logs in at a server that demands it', { mayFault: true }, async ({ app, muster, join }) => {
    await using login = await startLoginServer(`${app.url}/oauth/callback`)
    await muster.connectors.connect('wiki', { kind: 'mcp', url: login.mcp.url })
    const { page } = await join('Ines', 'admin')
    await page.goto('/')
    await page.getByText('wiki needs a login').click()
    const card = page.getByRole('region', { name: 'wiki' })
    await card.getByText('Needs login', { exact: true }).waitFor()
    await card.getByRole('button', { name: 'Log in at wiki' }).click()
    await card.getByText('Working', { exact: true }).waitFor()
    await card.getByText('1 action').waitFor()
    await card.getByRole('button', { name: 'Log in again at wiki' }).waitFor()
    await muster.connectors.disconnect('wiki')
  })

  it('makes an endpoint, shows its secret once, and sends a delivery again', async (given) => {
    const { page, muster, press } = given
    await page.goto('/webhooks')
    await press('New endpoint')
    await page.getByLabel('Address').fill('https://127.0.0.1:9/hook')
    await press('Create endpoint')
    assert.match(await page.getByLabel('Signing secret', { exact: true }).innerText(), /^whsec_/)
    await press('I have stored it')
    const row = page.getByRole('list', { name: 'Endpoints' }).getByRole('link')
    await row.getByText('Not tried yet').waitFor()
    await row.click()
    await press('Send a test')
    const delivery = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first()
    await delivery.getByText('Failed').waitFor()
    await delivery.getByText('webhook.test').click()
    await press('Send again')
    await delivery.getByText('2 attempts').waitFor()
    await delivery.getByRole('region', { name: 'Body' }).getByText('A test event').waitFor()
    await page.getByText('Failing', { exact: true }).waitFor()
    const { id } = await muster.workflows.create({ name: 'Tells a webhook' })
    await muster.runs.create(id, { input: 'A quiet day.' })
    await page.getByText('1 attempt, next').first().waitFor()
    const named = page.getByRole('list', { name: 'Deliveries' }).getByText('Tells a webhook')
    await named.first().waitFor()
    await press('Turn off')
    await page.getByText('next when it is on again').first().waitFor()
    assert.equal(await page.getByRole('button', { name: /^Send/ }).count(), 0)
  })

  it('makes a key that is shown once, and revokes it', async ({ page, app, press }) => {
    await page.goto('/api-keys')
    await press('New key')
    await page.getByLabel('Name').fill('Reports')
    await page.getByLabel('Role').selectOption('viewer')
    await press('Create key')
    const key = (await page.getByLabel('API key', { exact: true }).textContent()) ?? ''
    assert.equal((await app.call('GET', '/v1/account', { key })).status, 200)
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await page.getByText(key).waitFor()
    await press('I have stored it')
    assert.equal(await page.getByText(key).count(), 0)
    await press('Revoke Reports')
    await press('Revoke it')
    await page.getByText('Reports', { exact: true }).waitFor({ state: 'detached' })
    assert.equal((await app.call('GET', '/v1/account', { key })).status, 401)
  })

  it('shows a new signing secret until it is stored, and lets go of one that was not made', async (given) => {
    const { page, person, muster, press } = given
    const { id } = await muster.webhooks.create(endpoint)
    await page.goto(`/webhooks/${id}`)
    await page.route('**/rotate-secret', (route) => route.abort(), { times: 2 })
    await press('New secret')
    await press('Create new secret')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('alert').waitFor()
    await press('Close')
    await dialog.waitFor({ state: 'detached' })

    await press('New secret')
    await press('Create new secret')
    await page.getByRole('heading', { name: 'The new signing secret' }).waitFor()
    await person.seesAll()
    assert.match(await page.getByLabel('Signing secret', { exact: true }).innerText(), /^whsec_/)
    await press('I have stored it')
    await dialog.waitFor({ state: 'detached' })
  })

  it('keeps a dialog open until it is known what came of it', async (given) => {
    const { page, person, muster, press } = given
    const { id } = await muster.webhooks.create(endpoint)
    await page.goto(`/webhooks/${id}`)
    const rotation = await person.hold('**/rotate-secret')
    await press('New secret')
    await press('Create new secret')
    await page.locator('[aria-busy=true]').waitFor()
    await page.keyboard.press('Escape')
    rotation.release()
    await page.getByRole('heading', { name: 'The new signing secret' }).waitFor()
    await press('I have stored it')

    const deletion = await person.hold(`**/v1/webhooks/${id}`, 'DELETE')
    await press('Delete')
    await press('Delete it')
    await page.locator('[aria-busy=true]').waitFor()
    await page.keyboard.press('Escape')
    assert.ok(await page.getByRole('button', { name: 'Cancel' }).isDisabled())
    deletion.release()
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
  })

  it('asks before a list of hosts that is empty blocks all pages', async ({
    page,
    person,
    muster,
  }) => {
    await page.goto('/policies')
    await page.getByLabel('Agents may read pages of certain hosts only').check()
    await person.press('Save')
    await page.getByRole('dialog', { name: 'Block all web pages?' }).waitFor()
    await person.findsItAccessible()
    await person.press('Keep editing')
    assert.equal((await muster.policies.retrieve()).web_fetch_hosts, null)
    await person.press('Save')
    await person.press('Block all pages')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    assert.deepEqual((await muster.policies.retrieve()).web_fetch_hosts, [])
    await muster.policies.update({ web_fetch_hosts: null })
  })

  it('saves rules, and says which condition cannot be read', async ({ page, person, muster }) => {
    await page.goto('/policies')
    const rule = { action: 'email.send', when: 'args.to.', decision: 'block' }
    await person.press('Edit as JSON')
    const json = page.getByRole('textbox', { name: 'Rules' })
    await json.fill(JSON.stringify([rule]))
    await person.press('Save')
    await page
      .getByText(/rules\[0\]\.when is no CEL condition/)
      .first()
      .waitFor()
    await json.fill(JSON.stringify([{ ...rule, when: 'args.to == "a"' }]))
    await person.press('Save')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    assert.equal((await muster.policies.retrieve()).rules[0]?.when, 'args.to == "a"')
    await muster.policies.update({ rules: [] })
  })

  it('says that somebody else has changed the policies, and takes no draft to another account', async (given) => {
    const { sit, muster, app } = given
    const { id, key } = await muster.api_keys.create({ name: 'soon revoked', role: 'admin' })
    const { page, press, seesAll } = await sit({ key })
    const other = await createAccount(app.database, 'Other')
    await page.goto('/policies')
    await page.getByLabel('Emails in a day').fill('7')
    await muster.policies.update({ four_eyes: true })
    await page.reload()
    await page.getByRole('alert').getByText('Someone else changed this').waitFor()
    assert.equal(await page.getByLabel('Emails in a day').inputValue(), '7')
    await press('View their changes')
    assert.ok(await page.getByLabel('Four eyes').isChecked())

    await page.getByLabel('Emails in a day').fill('8')
    await page.getByText('Not saved yet').waitFor()
    await muster.api_keys.delete(id)
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('API key').fill(other.adminKey)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Other/ }).waitFor()
    await seesAll()
    assert.ok(!(await page.getByLabel('Four eyes').isChecked()))
    assert.equal(await page.getByLabel('Emails in a day').inputValue(), '')
  })

  it('says of a session that has ended no more once somebody has signed in again', async (given) => {
    const { page, person, muster, app, press } = given
    await page.goto('/policies')
    await page.getByLabel('Emails in a day').fill('9')
    let isOver = true
    await page.route('**/v1/policies', (route) =>
      isOver && route.request().method() === 'PATCH'
        ? route.fulfill({ status: 401, body: '{}' })
        : route.fallback(),
    )
    await press('Save')
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await person.findsItAccessible()
    isOver = false
    await dialog.getByLabel('API key').fill('wrong')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('API key').fill(app.key)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Not saved yet').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await person.save()
    assert.equal((await muster.policies.retrieve()).mails_a_day, 9)
  })

  it('trains on no other file than the one that was looked at', async ({ page, press }) => {
    const counts = { example_count: 1, token_count: 1, training_bytes: 1 }
    const preview = { ...counts, estimated_cost_usd: null, problems: [], examples: [] }
    const sent: string[] = []
    await page.route('**/v1/fine-tunes/preview', async (route) => {
      sent.push(route.request().postDataJSON().training_data)
      await route.fulfill({ json: { data: preview } })
    })
    const give = (text: string) =>
      page
        .getByLabel('File of examples, JSONL')
        .setInputFiles({ name: 'a.jsonl', mimeType: 'text/plain', buffer: Buffer.from(text) })
    await page.goto('/fine-tunes/new')
    await page.getByLabel('Name', { exact: true }).fill('Tone')
    await page.getByLabel('Base model').fill('gpt-4.1-mini-2025-04-14')
    await page.getByLabel('Examples').selectOption('upload')
    await give('one')
    await press('Preview')
    await page.getByRole('button', { name: 'Start training' }).waitFor()
    await give('two')
    await page.getByRole('button', { name: 'Start training' }).waitFor({ state: 'detached' })
    await press('Preview')
    await page.getByRole('button', { name: 'Start training' }).waitFor()
    assert.deepEqual(sent, ['one', 'two'])
  })
})

describe('a connector that is changed', () => {
  it('shows what is no secret, and keeps the secret', async ({ page, person, muster }) => {
    const server = { host: '127.0.0.1', port: 9, user: 'ops', from: 'ops@example.com' }
    await muster.connectors.connect('email', { ...server, pass: 'mail-secret-1' })
    await page.goto('/connectors')
    const card = page.getByRole('region', { name: 'Email' })
    await card.getByRole('button', { name: 'Change' }).click()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByLabel('SMTP server').inputValue(), server.host)
    assert.equal(await dialog.getByLabel('Password').inputValue(), '')
    await person.findsItAccessible()
    await dialog.getByLabel('Sender').fill('Ops <ops@example.com>')
    await dialog.getByRole('button', { name: 'Connect' }).click()
    await dialog.waitFor({ state: 'detached' })
    const email = (await muster.connectors.list()).find(({ id }) => id === 'email')
    assert.equal(email?.settings?.['from'], 'Ops <ops@example.com>')
  })

  it('shows the docs of this version, and follows their links', async ({ page, person }) => {
    await page.goto('/')
    await page
      .getByRole('button', { name: /default|workshop/ })
      .last()
      .click()
    await page.getByRole('menuitem', { name: 'Documentation' }).click()
    await page.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Send a weekly report to Slack' }).click()
    await page.getByRole('heading', { name: 'Send a weekly report to Slack', level: 1 }).waitFor()
    assert.ok(!(await page.locator('main').innerText()).includes('<!--'))
    await person.findsItAccessible()
    await page.goto('/help/no-such-page')
    await person.sees('Page not found')
  })
})
