import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { createAccount } from '../../server/accounts/create-account.ts'
import { setScene } from './world.ts'

const scene = setScene({ MUSTER_WEBHOOK_SCHEDULE: '0,600' })
const { sit } = scene

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

const schema = {
  type: 'object',
  properties: { zebra: { type: 'string' } },
  required: ['zebra'],
  additionalProperties: false,
}

describe('building', () => {
  it('makes a workflow, edits it, tries it and pauses it', async () => {
    await using person = await sit()
    const { page } = person
    await page.goto('/workflows/new')
    await page.getByLabel('Name', { exact: true }).fill('Weekly digest')
    await page.getByRole('button', { name: /^2 writer/ }).click()
    const prompt = page.getByRole('textbox', { name: 'Instructions' })
    await prompt.fill('You write the digest of the week.')
    await page.reload()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Weekly digest')
    await press(page, 'Create the workflow')
    await page.getByRole('heading', { name: 'Weekly digest', level: 1 }).waitFor()

    await page.getByRole('button', { name: 'Move writer up' }).click()
    await page.getByLabel('Seconds at work of a run').fill('never')
    await press(page, 'Save')
    await page
      .getByRole('alert')
      .getByText(/max_run_seconds/)
      .first()
      .waitFor()
    await page.getByLabel('Seconds at work of a run').fill('120')
    await press(page, 'Save')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    const [workflow] = await scene.world.muster.workflows.list()
    assert.deepEqual(
      workflow?.crew.map(({ role }) => role),
      ['writer', 'planner'],
    )
    assert.equal(workflow?.crew[0]?.systemPrompt, 'You write the digest of the week.')
    assert.equal(workflow?.limits.max_run_seconds, 120)

    await page.getByPlaceholder('The text that the crew works on').fill('A quiet week.')
    await press(page, 'Run and watch')
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    await page.goBack()
    await press(page, 'Pause')
    await page.getByText('Paused: takes no new runs').waitFor()
    assert.equal((await scene.world.muster.workflows.retrieve(workflow?.id ?? '')).status, 'paused')
    person.sawNoFault()
  })

  it('gives an agent a schema, a run its data, and shows the object', async () => {
    const { id } = await scene.world.muster.workflows.create({
      name: 'Facts',
      model: 'muster/demo',
      crew: [
        { role: 'extractor', systemPrompt: 'Extract.', output_schema: schema },
        { role: 'judge', systemPrompt: 'Judge.' },
      ],
    })
    await using person = await sit()
    const { page } = person
    await page.goto(`/workflows/${id}`)
    await page.getByRole('button', { name: /^2 judge/ }).click()
    await page.locator('summary', { hasText: 'Schema of the answer' }).click()
    const field = page.getByRole('textbox', { name: 'Schema of the answer' })
    await field.fill('{"type": "objec"}')
    await press(page, 'Save')
    await page
      .getByText(/must be "object"/)
      .first()
      .waitFor()
    await field.fill(JSON.stringify(schema))
    await press(page, 'Save')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    const { crew } = await scene.world.muster.workflows.retrieve(id)
    assert.deepEqual(
      crew.map((entry) => entry.output_schema),
      [schema, schema],
    )

    await page.locator('summary', { hasText: 'Data of the run' }).click()
    await page.getByRole('textbox', { name: 'Data of the run' }).fill('{"machine": "pump"}')
    await press(page, 'Run and watch')
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    const [started] = await scene.world.muster.runs.list(id)
    const run = await scene.world.muster.runs.wait(started?.id ?? '')
    assert.deepEqual([run.status, run.error, run.data], ['completed', null, { machine: 'pump' }])
    assert.equal(typeof run.output_json?.['zebra'], 'string')
    await page.getByRole('region', { name: 'Output' }).getByText('zebra').waitFor()
    person.sawNoFault()
  })

  it('shows JSON in the colors of a light or dark page', async () => {
    const { id } = await scene.world.muster.workflows.create({
      name: 'Night',
      input_schema: { type: 'object', properties: { hour: { type: 'integer', minimum: 22 } } },
    })
    const colorIn = async (colorScheme: 'light' | 'dark'): Promise<unknown> => {
      await using person = await sit({ colorScheme })
      await person.page.goto(`/workflows/${id}`)
      const text = person.page.getByText('"integer"', { exact: true })
      return await text.evaluate(
        (element) => element.ownerDocument.defaultView?.getComputedStyle(element).color,
      )
    }
    const [light, dark] = [await colorIn('light'), await colorIn('dark')]
    assert.match(String(light), /^(rgb|oklch|color)/)
    assert.notEqual(light, dark)
  })

  it('takes instructions and JSON in plain fields where the editor does not load', async () => {
    await using person = await sit()
    const { page } = person
    let asked = 0
    await page.route('**/code-field-*.js', (route) => {
      asked++
      return route.abort()
    })
    await page.goto('/workflows/new')
    await page.getByLabel('Name', { exact: true }).fill('On a bad line')
    await page.getByRole('button', { name: /^2 writer/ }).click()
    await page.getByRole('textbox', { name: 'Instructions' }).fill('You write by hand.')
    await press(page, 'Create the workflow')
    await page.getByRole('heading', { name: 'On a bad line', level: 1 }).waitFor()
    const [workflow] = await scene.world.muster.workflows.list()
    assert.equal(workflow?.crew[1]?.systemPrompt, 'You write by hand.')
    assert.ok(asked > 0)
    person.sawNoFault()
  })

  it('names the default model, takes fallbacks in order, and says how long a provider may be away', async () => {
    const { muster } = scene.world
    await using person = await sit()
    const { page } = person
    await page.goto('/workflows/new')
    await page.getByLabel('Name', { exact: true }).fill('With fallbacks')
    const model = page.getByLabel('Model', { exact: true })
    await model
      .getByText('The default of this server (now test/echo)')
      .waitFor({ state: 'attached' })
    await model.selectOption('gpt-4.1')
    await page.getByText('This server has no key for it.').waitFor()
    await page.getByText('Its provider ends it on 2027-01-14.').waitFor()
    await model.selectOption('')
    for (const [rank, id] of [
      ['First', 'gpt-4.1'],
      ['Second', 'test/echo'],
    ] as const) {
      await press(page, 'Add a fallback')
      await page.getByLabel(`${rank} fallback`, { exact: true }).selectOption(id)
    }
    await page.getByLabel('Hours that a provider may be away').fill('0.5')
    await person.findsItAccessible()
    await press(page, 'Create the workflow')
    await page
      .getByRole('alert')
      .getByText(/gpt-4\.1/)
      .first()
      .waitFor()
    const invalid = await page
      .getByLabel('First fallback', { exact: true })
      .getAttribute('aria-invalid')
    assert.equal(invalid, 'true')
    await press(page, 'Remove the first fallback')
    await press(page, 'Create the workflow')
    await page.getByRole('heading', { name: 'With fallbacks', level: 1 }).waitFor()
    const [workflow] = await muster.workflows.list()
    assert.deepEqual(workflow?.fallbacks, ['test/echo'])
    assert.deepEqual(workflow?.limits.max_outage_seconds, 1800)
    assert.equal(workflow?.model_inherited, true)
    await page.getByLabel('Hours that a provider may be away').fill('never')
    await press(page, 'Save')
    await page
      .getByRole('alert')
      .getByText(/max_outage_seconds/)
      .first()
      .waitFor()

    const agent = await muster.agents.create({
      name: 'Own',
      role: 'own',
      systemPrompt: 'x',
      connectors: ['web'],
    })
    await page.goto(`/agents/${agent.id}`)
    await press(page, 'Add a fallback')
    await page.getByLabel('First fallback', { exact: true }).selectOption('muster/demo')
    await press(page, 'Save')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    const changed = await muster.agents.retrieve(agent.id)
    assert.deepEqual(changed.fallbacks, ['muster/demo'])
    // Of a connector without a capability the form says nothing.
    assert.deepEqual(changed.connectors, ['web'])
    person.sawNoFault()
  })

  it('asks for the data of a run by the schema of its workflow, and shows it again', async () => {
    const { muster } = scene.world
    const { id } = await muster.workflows.create({
      name: 'Incidents',
      model: 'muster/demo',
      input_schema: {
        type: 'object',
        properties: {
          machine: { type: 'string', pattern: '^[A-Z]', description: 'As on its plate' },
          severity: { enum: ['low', 'high'] },
          hours: { type: 'number', minimum: 0 },
          isStopped: { type: 'boolean' },
          day: { type: 'string', format: 'date' },
          parts: { type: 'array', items: { type: 'string' }, maxItems: 2 },
          site: {
            type: 'object',
            properties: { city: { type: 'string' }, hall: { type: 'integer' } },
            required: ['city'],
          },
        },
        required: ['machine', 'severity', 'isStopped', 'site'],
        additionalProperties: false,
      },
    })
    await using person = await sit()
    const { page } = person
    await page.goto(`/workflows/${id}`)
    const form = page.getByRole('form', { name: 'Start a run' })
    await form.getByLabel('machine').waitFor()
    await person.findsItAccessible()
    // What nobody filled in is said at its field, before anything is sent.
    await press(page, 'Run and watch')
    assert.equal(await form.getByText('This is required').count(), 3)
    const focused = await form.getByLabel('machine').evaluate((field) => field.matches(':focus'))
    assert.ok(focused, 'the first field at fault has the focus')
    await person.findsItAccessible()
    await form.getByLabel('machine').fill('pump')
    await form.getByLabel('severity').selectOption('high')
    await form.getByLabel('hours').fill('five')
    await form.getByLabel('isStopped').check()
    await form.getByLabel('day').fill('2026-11-22')
    await form.getByLabel('parts').fill('seal\nvalve\nhose')
    await form.getByLabel('city').fill('Ghent')
    await page.reload()
    assert.equal(await form.getByLabel('city').inputValue(), 'Ghent')
    await press(page, 'Run and watch')
    await form.getByText('Expected a number, such as 12.5').waitFor()
    await form.getByLabel('hours').fill('5.5')
    // What only the service knows is said at its field as well.
    const field = (label: string) => form.locator('div', { has: page.getByLabel(label) }).last()
    await press(page, 'Run and watch')
    await field('machine')
      .getByText(/expected as on its plate/)
      .waitFor()
    await form.getByLabel('machine').fill('Pump')
    await press(page, 'Run and watch')
    await field('parts')
      .getByText(/parts has 3 items, at most 2/)
      .waitFor()
    await press(page, 'As JSON')
    const raw = form.getByRole('textbox', { name: 'Data of the run' })
    const typed = (await raw.innerText()).replaceAll('"hose"', '').replace(/"valve",\s*/, '"valve"')
    await raw.fill(typed)
    await press(page, 'As fields')
    assert.equal(await form.getByLabel('parts').inputValue(), 'seal\nvalve')
    await press(page, 'Run and watch')
    await page.getByText('Completed', { exact: true }).waitFor()
    const [run] = await muster.runs.list(id)
    const data = {
      machine: 'Pump',
      severity: 'high',
      hours: 5.5,
      isStopped: true,
      day: '2026-11-22',
      parts: ['seal', 'valve'],
      site: { city: 'Ghent' },
    }
    assert.deepEqual(run?.data, data)
    await page.getByText('Ghent', { exact: true }).waitFor()
    await press(page, 'As code')
    const code = page.getByRole('dialog')
    await code.getByText('"city":"Ghent"').waitFor()
    await person.findsItAccessible()
    person.sawNoFault()
  })

  it("shows somebody else's change and does not overwrite it unseen", async () => {
    const { id } = await scene.world.muster.workflows.create({ name: 'Shared' })
    await using person = await sit()
    const { page } = person
    await page.goto(`/workflows/${id}`)
    await page.getByLabel('What it is for').fill('Mine')
    await scene.world.muster.workflows.update(id, { description: 'Theirs' })
    await page.reload()
    await page.getByText('Somebody changed it').waitFor()
    await press(page, 'See theirs')
    assert.equal(await page.getByLabel('What it is for').inputValue(), 'Theirs')
    person.sawNoFault()
  })

  it('takes nobody for somebody else who pauses what they edit', async () => {
    const { muster } = scene.world
    const { id } = await muster.workflows.create({ name: 'Paused at work' })
    await using person = await sit()
    const { page } = person
    await page.goto(`/workflows/${id}`)
    await page.getByLabel('What it is for').fill('Mine')
    await press(page, 'Pause')
    await page.getByText('Paused: takes no new runs').waitFor()
    assert.equal(await page.getByText('Somebody changed it').count(), 0)
    await press(page, 'Save')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    const { description, status } = await muster.workflows.retrieve(id)
    assert.deepEqual([description, status], ['Mine', 'paused'])
    person.sawNoFault()
  })

  it("edits an agent's memory: adds, pins, searches, edits, forgets", async () => {
    const agent = await scene.world.muster.agents.create({
      name: 'Ada',
      role: 'ada',
      systemPrompt: 'x',
    })
    const { id } = await scene.world.muster.agents.memory.create(agent.id, {
      content: 'Likes tea.',
    })
    await using person = await sit()
    const { page } = person
    await page.goto(`/agents/${agent.id}`)
    await page.getByPlaceholder('What it should remember').fill('Works on Fridays.')
    await press(page, 'Add the note')
    const notes = page.getByRole('list', { name: 'Notes' })
    await notes.getByText('Works on Fridays.').waitFor()
    await page.getByLabel('Search the notes').fill('tea')
    await notes.getByText('Works on Fridays.').waitFor({ state: 'detached' })
    await press(page, 'Pin the note')
    await notes.getByText('Pinned ·').waitFor()
    await press(page, 'Edit the note')
    const note = page.getByRole('textbox', { name: 'Note', exact: true })
    await note.fill('Likes green tea.')
    await notes.getByRole('button', { name: 'Save' }).click()
    await note.waitFor({ state: 'detached' })
    await notes.getByText('Likes green tea.').waitFor()
    const saved = await scene.world.muster.agents.memory.retrieve(agent.id, id)
    assert.deepEqual([saved.content, saved.pinned], ['Likes green tea.', true])
    await press(page, 'Forget the note')
    await press(page, 'Forget it')
    await page.getByText('No note has these words').waitFor()
    assert.equal((await scene.world.muster.agents.memory.list(agent.id)).length, 1)
    person.sawNoFault()
  })

  it('offers to test and disconnect what the account has connected, and nothing else', async () => {
    await using person = await sit()
    const { page } = person
    await page.goto('/connectors')
    const buttonsOf = async (name: string, status: string) => {
      const card = page.getByRole('region', { name, exact: true })
      await card.getByText(status, { exact: true }).waitFor()
      return card.getByRole('button').allInnerTexts()
    }
    // The one needs no credentials, the other has those of the operator.
    assert.deepEqual(await buttonsOf('Web', 'Ready'), ['Connect'])
    assert.deepEqual(await buttonsOf('E-mail', 'Ready'), ['Connect'])
    assert.deepEqual(await buttonsOf('crm', 'Connected'), ['Test', 'Change', 'Disconnect'])
    person.sawNoFault()
  })

  it('connects an MCP server and tests it', async () => {
    await using person = await sit()
    const { page } = person
    await page.goto('/connectors')
    await press(page, 'Add an MCP server')
    await page.getByLabel('Id').fill('ledger')
    await page.getByLabel('Address').fill(scene.world.mcp.url.replace('mcp.test', '127.0.0.1'))
    await press(page, 'Connect')
    const card = page.getByRole('region', { name: 'ledger' })
    await card.getByText('Connected', { exact: true }).waitFor()
    await card.getByRole('button', { name: 'Test' }).click()
    await card.getByRole('status').waitFor()
    await card.getByText('1 action').click()
    await card.getByText('writes outside').waitFor()
    person.sawNoFault()
  })

  it('makes an endpoint, shows its secret once, and sends a delivery again', async () => {
    await using person = await sit()
    const { page } = person
    await page.goto('/webhooks')
    await press(page, 'New endpoint')
    await page.getByLabel('Address').fill('https://127.0.0.1:9/hook')
    await press(page, 'Make the endpoint')
    assert.match(
      (await page.getByLabel('Signing secret', { exact: true }).textContent()) ?? '',
      /^whsec_/,
    )
    await press(page, 'I have stored it')
    await page.getByRole('list', { name: 'Endpoints' }).getByRole('link').click()
    await press(page, 'Send a test')
    const delivery = page.getByRole('list', { name: 'Deliveries' }).getByRole('listitem').first()
    await delivery.getByText('Failed').waitFor()
    await delivery.getByText('webhook.test').click()
    await press(page, 'Send again')
    await delivery.getByText('2 attempts').waitFor()
    const { id } = await scene.world.muster.workflows.create({ name: 'Tells a webhook' })
    await scene.world.muster.runs.create(id, { input: 'A quiet day.' })
    await page.getByText('1 attempt, next').first().waitFor()
    await press(page, 'Turn off')
    await page.getByText('next when it is on again').first().waitFor()
    assert.equal(await page.getByRole('button', { name: /^Send/ }).count(), 0)
    person.sawNoFault()
  })

  it('makes a key that is shown once, and revokes it', async () => {
    await using person = await sit()
    const { page } = person
    await page.goto('/api-keys')
    await press(page, 'New key')
    await page.getByLabel('What it is for').fill('Reports')
    await page.getByLabel('Role').selectOption('viewer')
    await press(page, 'Make the key')
    const key = (await page.getByLabel('API key', { exact: true }).textContent()) ?? ''
    assert.equal((await scene.world.app.call('GET', '/v1/account', { key })).status, 200)
    await page.keyboard.press('Escape')
    await page.mouse.click(5, 5)
    await page.getByText(key).waitFor()
    await press(page, 'I have stored it')
    assert.equal(await page.getByText(key).count(), 0)
    await press(page, 'Revoke Reports')
    await press(page, 'Revoke it')
    await page.getByText('Reports', { exact: true }).waitFor({ state: 'detached' })
    assert.equal((await scene.world.app.call('GET', '/v1/account', { key })).status, 401)
    person.sawNoFault()
  })

  it('shows a viewer and a member no control that the API would refuse', async () => {
    const { id } = await scene.world.muster.workflows.create({ name: 'For all' })
    const keyOf = async (role: 'viewer' | 'member') =>
      (await scene.world.muster.api_keys.create({ name: role, role })).key
    await using viewer = await sit({ key: await keyOf('viewer') })
    for (const path of ['/workflows', `/workflows/${id}`, '/agents', '/connectors', '/webhooks']) {
      await viewer.page.goto(path)
      await viewer.page.getByRole('heading', { level: 1 }).waitFor()
      await viewer.seesAll()
      const main = viewer.page.getByRole('main')
      const names = await main.getByRole('button').allTextContents()
      assert.deepEqual(names, [], path)
      assert.equal(await main.getByRole('link', { name: /^New / }).count(), 0, path)
    }
    await using member = await sit({ key: await keyOf('member') })
    await member.page.goto('/connectors')
    await member.page.getByRole('region', { name: 'E-mail' }).waitFor()
    assert.equal(await member.page.getByRole('main').getByRole('button').count(), 0)
    for (const name of ['API keys', 'Audit']) {
      assert.equal(await member.page.getByRole('link', { name }).count(), 0)
    }
    await member.page.goto('/api-keys')
    await member.page.getByText('For admins').waitFor()
    viewer.sawNoFault()
    member.sawNoFault()
  })

  it('shows a new signing secret until it is stored, and lets go of one that was not made', async () => {
    const { id } = await scene.world.muster.webhooks.create({
      url: 'https://127.0.0.1:9/',
      events: ['run.failed'],
    })
    await using person = await sit()
    const { page } = person
    await page.goto(`/webhooks/${id}`)
    await page.route('**/rotate-secret', (route) => route.abort(), { times: 2 })
    await press(page, 'New secret')
    await press(page, 'Make a new secret')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('alert').waitFor()
    await press(page, 'Close')
    await dialog.waitFor({ state: 'detached' })

    await press(page, 'New secret')
    await press(page, 'Make a new secret')
    await page.getByRole('heading', { name: 'The new signing secret' }).waitFor()
    await person.seesAll()
    assert.match(await page.getByLabel('Signing secret', { exact: true }).innerText(), /^whsec_/)
    await press(page, 'I have stored it')
    await dialog.waitFor({ state: 'detached' })
    person.sawNoFault()
  })

  it('keeps a dialog open until it is known what came of it', async () => {
    const { muster } = scene.world
    const { id } = await muster.webhooks.create({
      url: 'https://127.0.0.1:9/',
      events: ['run.failed'],
    })
    await using person = await sit()
    const { page } = person
    await page.goto(`/webhooks/${id}`)
    const { promise: isHeld, resolve: goOn } = Promise.withResolvers<void>()
    await page.route('**/rotate-secret', async (route) => {
      await isHeld
      return route.fallback()
    })
    await press(page, 'New secret')
    await press(page, 'Make a new secret')
    await page.locator('[aria-busy=true]').waitFor()
    await page.keyboard.press('Escape')
    goOn()
    await page.getByRole('heading', { name: 'The new signing secret' }).waitFor()
    await press(page, 'I have stored it')

    const { promise: isHeldAgain, resolve: goOnAgain } = Promise.withResolvers<void>()
    await page.route(`**/v1/webhooks/${id}`, async (route) => {
      if (route.request().method() === 'DELETE') await isHeldAgain
      return route.fallback()
    })
    await press(page, 'Delete')
    await press(page, 'Delete it')
    await page.locator('[aria-busy=true]').waitFor()
    await page.keyboard.press('Escape')
    assert.ok(await page.getByRole('button', { name: 'Keep it' }).isDisabled())
    goOnAgain()
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor()
    person.sawNoFault()
  })

  it('says that somebody else has changed the policies, and takes no draft to another account', async () => {
    const { app, muster } = scene.world
    const { id, key } = await muster.api_keys.create({ name: 'soon revoked', role: 'admin' })
    const other = await createAccount(app.database, 'Other')
    await using person = await sit({ key })
    const { page } = person
    await page.goto('/policies')
    await page.getByLabel('Emails in a day').fill('7')
    await muster.policies.update({ four_eyes: true })
    await page.reload()
    await page.getByRole('alert').getByText('Somebody changed it').waitFor()
    assert.equal(await page.getByLabel('Emails in a day').inputValue(), '7')
    await press(page, 'See theirs')
    assert.ok(await page.getByLabel('Four eyes').isChecked())

    await page.getByLabel('Emails in a day').fill('8')
    await page.getByText('Not saved yet').waitFor()
    await muster.api_keys.delete(id)
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.getByLabel('API key').fill(other.adminKey)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Other/ }).waitFor()
    await person.seesAll()
    assert.ok(!(await page.getByLabel('Four eyes').isChecked()))
    assert.equal(await page.getByLabel('Emails in a day').inputValue(), '')
    await muster.policies.update({ four_eyes: false })
  })

  it('says of a session that has ended no more once somebody has signed in again', async () => {
    await using person = await sit()
    const { page } = person
    await page.goto('/policies')
    await page.getByLabel('Emails in a day').fill('9')
    let isOver = true
    await page.route('**/v1/policies', (route) =>
      isOver && route.request().method() === 'PATCH'
        ? route.fulfill({ status: 401, body: '{}' })
        : route.fallback(),
    )
    await press(page, 'Save')
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    isOver = false
    await dialog.getByLabel('API key').fill('wrong')
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('API key').fill(scene.world.app.key)
    await dialog.getByRole('button', { name: 'Sign in', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Not saved yet').waitFor()
    assert.equal(await page.getByRole('alert').count(), 0)
    await press(page, 'Save')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    assert.equal((await scene.world.muster.policies.retrieve()).mails_a_day, 9)
    await scene.world.muster.policies.update({ mails_a_day: null })
    person.sawNoFault()
  })

  it('lets nobody type into what is being saved', async () => {
    const { id } = await scene.world.muster.agents.create({
      name: 'Clerk',
      role: 'clerk',
      systemPrompt: 's',
    })
    await using person = await sit()
    const { page } = person
    await page.goto(`/agents/${id}`)
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: isHeld, resolve: goOn } = Promise.withResolvers<void>()
    await page.route(`**/v1/agents/${id}`, async (route) => {
      if (route.request().method() !== 'PATCH') return route.fallback()
      ask()
      await isHeld
      return route.fallback()
    })
    const category = page.getByLabel('Category')
    await category.fill('Sales')
    await press(page, 'Save')
    await isAsked
    await page.locator('[inert]').waitFor({ state: 'attached' })
    await category.evaluate((field) => field.focus())
    await page.keyboard.type(' and more')
    goOn()
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    assert.equal(await category.inputValue(), 'Sales')
    assert.equal((await scene.world.muster.agents.retrieve(id)).category, 'Sales')
    person.sawNoFault()
  })

  it('lets nobody begin the next note while one is being added', async () => {
    const { muster } = scene.world
    const { id } = await muster.agents.create({ name: 'Slow', role: 'r', systemPrompt: 's' })
    await using person = await sit()
    const { page } = person
    await page.goto(`/agents/${id}`)
    const { promise: isAsked, resolve: ask } = Promise.withResolvers<void>()
    const { promise: isHeld, resolve: goOn } = Promise.withResolvers<void>()
    await page.route(`**/v1/agents/${id}/memory*`, async (route) => {
      if (route.request().method() !== 'POST') return route.fallback()
      ask()
      await isHeld
      return route.fallback()
    })
    const note = page.getByPlaceholder('What it should remember')
    await note.fill('Letters, no calls.')
    await press(page, 'Add the note')
    await isAsked
    await note.evaluate((field) => field.focus())
    await page.keyboard.type(' And this is lost.')
    const typed = await note.inputValue()
    goOn()
    await page.getByText('by a person').waitFor()
    assert.equal(typed, 'Letters, no calls.')
    person.sawNoFault()
  })

  it('trains on no other file than the one that was looked at', async () => {
    await using person = await sit()
    const { page } = person
    const sent: string[] = []
    await page.route('**/v1/fine-tunes/preview', async (route) => {
      sent.push(route.request().postDataJSON().training_data)
      const data = {
        example_count: 1,
        token_count: 1,
        training_bytes: 1,
        estimated_cost_usd: null,
        problems: [],
        examples: [],
      }
      await route.fulfill({ json: { data } })
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
    await press(page, 'Look at it first')
    await page.getByRole('button', { name: 'Start the training' }).waitFor()
    await give('two')
    await page.getByRole('button', { name: 'Start the training' }).waitFor({ state: 'detached' })
    await press(page, 'Look at it first')
    await page.getByRole('button', { name: 'Start the training' }).waitFor()
    assert.deepEqual(sent, ['one', 'two'])
    person.sawNoFault()
  })
})
