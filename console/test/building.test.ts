import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { complete } from '../../test/test-app.ts'
import { setScene } from './scene.ts'

const { it } = setScene()

const schema = {
  type: 'object',
  properties: { zebra: { type: 'string' } },
  required: ['zebra'],
  additionalProperties: false,
}

describe('building', () => {
  it('makes a workflow, edits it, tries it and pauses it', async (given) => {
    const { page, person, muster, press } = given
    await page.goto('/workflows/new')
    await page.getByLabel('Name', { exact: true }).fill('Weekly digest')
    await page.getByRole('button', { name: /^2 writer/ }).click()
    const prompt = person.editor('Instructions')
    await prompt.fill('You write the digest of the week.')
    await page.reload()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Weekly digest')
    await press('Create workflow')
    await page.getByRole('heading', { name: 'Weekly digest', level: 1 }).waitFor()

    await person.press('Move writer up')
    await page.getByRole('tab', { name: 'Limits and memory' }).click()
    await page.getByLabel('Run timeout (seconds)').fill('never')
    await page.getByRole('tab', { name: 'Crew' }).click()
    await press('Publish')
    await page.getByLabel('Run timeout (seconds)').waitFor()
    await person.sees(/max_run_seconds/)
    await page.getByLabel('Run timeout (seconds)').fill('120')
    await person.publish()
    const [workflow] = await muster.workflows.list()
    assert.deepEqual(
      workflow?.crew.map(({ role }) => role),
      ['writer', 'planner'],
    )
    assert.equal(workflow?.crew[0]?.systemPrompt, 'You write the digest of the week.')
    assert.equal(workflow?.limits.max_run_seconds, 120)

    // A run from this page uses the changes on it: they are saved as a draft first, and a draft
    // that cannot be saved starts no run.
    await page.getByPlaceholder('The text that the crew works on').fill('A quiet week.')
    await page.getByLabel('Name', { exact: true }).fill('')
    await press('Run as draft')
    await page.getByRole('alert').first().waitFor()
    assert.equal((await muster.runs.list(workflow?.id ?? '')).length, 0)
    await page.getByLabel('Name', { exact: true }).fill('Daily digest')
    await press('Run as draft')
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    const { name, version, last_version } = await muster.workflows.retrieve(workflow?.id ?? '')
    assert.deepEqual([name, version, last_version], ['Weekly digest', 2, 3])
    const [run] = await muster.runs.list(workflow?.id ?? '')
    assert.equal(run?.workflow_version, 3)
    await page.goBack()
    // The text is still in the form, and publishing makes the version that was tried live.
    await person.publish()
    assert.equal((await muster.workflows.retrieve(workflow?.id ?? '')).version, 3)
    await page.getByRole('button', { name: 'Run and watch' }).waitFor()
    await press('Pause')
    await page.getByText('Paused: takes no new runs').waitFor()
    assert.equal((await muster.workflows.retrieve(workflow?.id ?? '')).status, 'paused')
  })

  it('gives an agent a schema, a run its data, and shows the object', async (given) => {
    const { page, person, muster, press } = given
    const { id } = await muster.workflows.create({
      name: 'Facts',
      model: 'muster/demo',
      crew: [
        { role: 'extractor', systemPrompt: 'Extract.', output_schema: schema },
        { role: 'judge', systemPrompt: 'Judge.' },
      ],
    })
    await page.goto(`/workflows/${id}`)
    await page.getByRole('button', { name: /^2 judge/ }).click()
    await page.locator('summary', { hasText: 'Output schema' }).click()
    const field = person.editor('Output schema')
    await field.fill('{"type": "objec"}')
    await press('Publish')
    await person.sees(/must be "object"/)
    await field.fill(JSON.stringify(schema))
    await person.publish()
    const { crew } = await muster.workflows.retrieve(id)
    assert.deepEqual(
      crew.map((entry) => entry.output_schema),
      [schema, schema],
    )

    await page.locator('summary', { hasText: 'Input data' }).click()
    await person.editor('Input data').fill('{"machine": "pump"}')
    await press('Run and watch')
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    const [started] = await muster.runs.list(id)
    const run = await muster.runs.wait(started?.id ?? '')
    assert.deepEqual([run.status, run.error, run.data], ['completed', null, { machine: 'pump' }])
    assert.equal(typeof run.output_json?.['zebra'], 'string')
    // A run that has ended before the page opens has no live region.
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Output' }) })
    await section.getByText('zebra').first().waitFor()
  })

  it('shows the output of a run as Markdown, its source, and saves it', async (given) => {
    const { page, person, start } = given
    const output = [
      '# Report\n\nFirst line\nsecond *line*, see [the manual](https://docs.example.com/a?b=1).',
      '| part | left |\n| --- | --- |\n| seal | 0 |',
      '```sh\necho "<b>"\n```\n\n- [x] done',
      '[bad](javascript:alert(1)) [local](/api-keys) ![plan](https://evil.example/p.png) <b>bold</b>',
    ].join('\n\n')
    const { runId } = await start('speak', { script: (_, response) => complete(response, output) })
    await page.goto(`/runs/${runId}`)
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Output' }) })
    await section.getByRole('heading', { name: 'Report', level: 3 }).waitFor()
    await section.getByRole('cell', { name: 'seal' }).waitFor()
    await section.getByRole('region', { name: 'Code' }).getByText('echo "<b>"').waitFor()
    const link = section.getByRole('link')
    assert.equal(await link.count(), 1)
    assert.equal(await link.getAttribute('href'), 'https://docs.example.com/a?b=1')
    assert.match((await link.getAttribute('rel')) ?? '', /noopener noreferrer/)
    for (const text of ['(docs.example.com)', '[Image: plan (evil.example)]', '<b>bold</b>']) {
      await section.getByText(text).waitFor()
    }
    assert.equal(await section.locator('img, b, script').count(), 0)
    await person.findsItAccessible()
    const saved = await person.download('Download output')
    assert.deepEqual(saved, { name: `output-${runId}.md`, text: output })
    await person.press('Source')
    await section.getByText('# Report').waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await person.fitsWindow()
  })

  it('duplicates a workflow, makes an agent of its crew, and lists both with their runs', async (given) => {
    const { page, person, press, muster, run } = given
    const crew = [{ role: 'Editor', systemPrompt: 'Edit.', output_schema: schema }]
    const { id } = await muster.workflows.create({ name: 'Original', crew, description: 'Kept' })
    await muster.workflows.update(id, { limits: { max_run_seconds: 77 } })
    await page.goto(`/workflows/${id}`)
    await press('Duplicate')
    await page.getByRole('heading', { name: 'Copy of Original', level: 1 }).waitFor()
    await page.getByRole('button', { name: /^1 Editor/ }).click()
    await press('Create agent')
    await page.getByText('Not saved yet').waitFor()
    await person.publish()
    const [copied] = await muster.workflows.list()
    assert.deepEqual([copied?.description, copied?.limits.max_run_seconds], ['Kept', 77])
    const agent = await muster.agents.retrieve(copied?.crew[0]?.agentId ?? '')
    assert.deepEqual(
      [agent.role, agent.systemPrompt, agent.output_schema],
      ['Editor', 'Edit.', schema],
    )
    await muster.workflows.update(id, { crew: [{ role: 'Editor', systemPrompt: 'Edit.' }] })
    await run(id, { input: 'A text' })
    await page.goto('/workflows')
    const row = page.getByRole('link', { name: /^Original/ })
    await row.getByText(/^1 run · 100% completed · \$/).waitFor()
    await row.getByText('Completed', { exact: true }).waitFor()
    await person.findsItAccessible()
  })

  it('shows JSON in the colors of a light or dark page', async ({ muster, sit }) => {
    const { id } = await muster.workflows.create({
      name: 'Night',
      input_schema: { type: 'object', properties: { hour: { type: 'integer', minimum: 22 } } },
    })
    const colorIn = async (colorScheme: 'light' | 'dark'): Promise<unknown> => {
      const { page } = await sit({ colorScheme })
      await page.goto(`/workflows/${id}`)
      await page.getByRole('tab', { name: 'Input and output' }).click()
      const text = page.getByText('"integer"', { exact: true })
      return await text.evaluate(
        (element) => element.ownerDocument.defaultView?.getComputedStyle(element).color,
      )
    }
    const [light, dark] = [await colorIn('light'), await colorIn('dark')]
    assert.match(String(light), /^(rgb|oklch|color)/)
    assert.notEqual(light, dark)
  })

  it('offers a workflow as a tool to MCP clients, and takes that back', async (given) => {
    const { page, person, muster, press } = given
    const { id } = await muster.workflows.create({ name: 'Site report' })
    await page.goto(`/workflows/${id}`)
    await page.getByRole('tab', { name: 'Input and output' }).click()
    const box = page.getByLabel('Offer as a tool to MCP clients')
    await box.check()
    await page.getByLabel('Tool name').fill('inbox_list')
    await page.getByLabel('Tool description').fill('Writes a report about a site.')
    await press('Publish')
    await person.sees(/the name of a tool of the MCP server itself/)
    await page.getByLabel('Tool name').fill('')
    await person.publish()
    const { expose_mcp: tool } = await muster.workflows.retrieve(id)
    assert.deepEqual(tool, { name: 'site_report', description: 'Writes a report about a site.' })
    assert.equal(await page.getByLabel('Tool name').inputValue(), 'site_report')
    await box.uncheck()
    await person.publish()
    assert.equal((await muster.workflows.retrieve(id)).expose_mcp, null)
  })

  it('takes instructions and JSON in plain fields where the editor does not load', async (given) => {
    const { page, muster, press } = given
    let asked = 0
    await page.route('**/code-field-*.js', (route) => {
      asked++
      return route.abort()
    })
    await page.goto('/workflows/new')
    await page.getByLabel('Name', { exact: true }).fill('On a bad line')
    await page.getByRole('button', { name: /^2 writer/ }).click()
    await page.getByRole('textbox', { name: 'Instructions' }).fill('You write by hand.')
    await press('Create workflow')
    await page.getByRole('heading', { name: 'On a bad line', level: 1 }).waitFor()
    const [workflow] = await muster.workflows.list()
    assert.equal(workflow?.crew[1]?.systemPrompt, 'You write by hand.')
    assert.ok(asked > 0)
  })

  it('names the default model, takes fallbacks in order, and says how long a provider may be away', async (given) => {
    const { page, person, muster, press } = given
    await page.goto('/workflows/new')
    await page.getByLabel('Name', { exact: true }).fill('With fallbacks')
    await page.getByRole('tab', { name: 'Model' }).click()
    const model = page.getByRole('combobox', { name: 'Model', exact: true })
    await model
      .getByText('The default of this server (now test/echo)')
      .waitFor({ state: 'attached' })
    await model.selectOption('gpt-4.1')
    await page.getByText('It has no key. Add one under Model providers.').waitFor()
    await page.getByText('Its provider ends it on 2027-01-14.').waitFor()
    await model.selectOption('')
    for (const [rank, id] of [
      ['First', 'gpt-4.1'],
      ['Second', 'test/echo'],
    ] as const) {
      await press('Add fallback')
      await page.getByLabel(`${rank} fallback`, { exact: true }).selectOption(id)
    }
    await person.findsItAccessible()
    await page.getByRole('tab', { name: 'Limits and memory' }).click()
    await page.getByLabel('Max provider outage (hours)').fill('0.5')
    await press('Create workflow')
    await page.getByRole('alert').getByText('gpt-4.1').first().waitFor()
    const first = page.getByLabel('First fallback', { exact: true })
    assert.equal(await first.getAttribute('aria-invalid'), 'true')
    await press('Remove the first fallback')
    await press('Create workflow')
    await page.getByRole('heading', { name: 'With fallbacks', level: 1 }).waitFor()
    const [workflow] = await muster.workflows.list()
    assert.deepEqual(workflow?.fallbacks, ['test/echo'])
    assert.deepEqual(workflow?.limits.max_outage_seconds, 1800)
    assert.equal(workflow?.model_inherited, true)
    await page.getByRole('tab', { name: 'Limits and memory' }).click()
    await page.getByLabel('Max provider outage (hours)').fill('never')
    await press('Publish')
    await person.sees(/max_outage_seconds/)

    const own = { name: 'Own', role: 'own', systemPrompt: 'x', connectors: ['web'] }
    const agent = await muster.agents.create(own)
    await page.goto(`/agents/${agent.id}`)
    await press('Add fallback')
    await first.selectOption('muster/demo')
    await person.publish()
    const changed = await muster.agents.retrieve(agent.id)
    assert.deepEqual(changed.fallbacks, ['muster/demo'])
    // The form shows no error for a connector that has no capabilities.
    assert.deepEqual(changed.connectors, ['web'])
  })

  it('asks for the data of a run by the schema of its workflow, and shows it again', async (given) => {
    const { page, person, muster, press } = given
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
          parts: { type: 'array', items: { type: 'string' }, maxItems: 2 },
          site: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
        required: ['machine', 'severity', 'isStopped', 'site'],
      },
    })
    await page.goto(`/workflows/${id}`)
    const form = page.getByRole('form', { name: 'Start a run' })
    await form.getByLabel('machine').waitFor()
    await person.findsItAccessible()
    // A missing required value is shown at its field before any request is sent.
    await press('Run and watch')
    assert.equal(await form.getByText('This is required').count(), 3)
    const focused = await form.getByLabel('machine').evaluate((field) => field.matches(':focus'))
    assert.ok(focused, 'the first field at fault has the focus')
    await person.findsItAccessible()
    await form.getByLabel('machine').fill('pump')
    await form.getByLabel('severity').selectOption('high')
    await form.getByLabel('hours').fill('five')
    await form.getByLabel('isStopped').check()
    await form.getByLabel('parts').fill('seal\nvalve\nhose')
    await form.getByLabel('city').fill('Ghent')
    await page.reload()
    assert.equal(await form.getByLabel('city').inputValue(), 'Ghent')
    await press('Run and watch')
    await form.getByText('Expected a number, such as 12.5').waitFor()
    await form.getByLabel('hours').fill('5.5')
    // An error that only the service can find is shown at its field too.
    const field = (label: string) => form.locator('div', { has: page.getByLabel(label) }).last()
    await press('Run and watch')
    await field('machine').getByText('expected as on its plate').waitFor()
    await form.getByLabel('machine').fill('Pump')
    await press('Run and watch')
    await field('parts').getByText('parts has 3 items, at most 2').waitFor()
    await press('As JSON')
    const raw = person.editor('Input data')
    const typed = (await raw.innerText()).replaceAll('"hose"', '').replace(/"valve",\s*/, '"valve"')
    await raw.fill(typed)
    await press('As fields')
    assert.equal(await form.getByLabel('parts').inputValue(), 'seal\nvalve')
    await press('Run and watch')
    await page.getByText('Completed', { exact: true }).waitFor()
    const [run] = await muster.runs.list(id)
    const data = { machine: 'Pump', severity: 'high', hours: 5.5, isStopped: true }
    assert.deepEqual(run?.data, { ...data, parts: ['seal', 'valve'], site: { city: 'Ghent' } })
    await page.getByText('Ghent', { exact: true }).waitFor()
    await press('As code')
    const code = page.getByRole('dialog')
    await code.getByText('"city":"Ghent"').waitFor()
    await person.findsItAccessible()
  })

  it('takes nobody for somebody else who pauses what they edit', async (given) => {
    const { page, person, muster, press } = given
    const { id } = await muster.workflows.create({ name: 'Paused at work' })
    await page.goto(`/workflows/${id}`)
    await page.getByLabel('Description').fill('Mine')
    await press('Pause')
    await page.getByText('Paused: takes no new runs').waitFor()
    assert.equal(await page.getByText('Someone else changed this').count(), 0)
    await person.publish()
    const { description, status } = await muster.workflows.retrieve(id)
    assert.deepEqual([description, status], ['Mine', 'paused'])
  })

  it("edits an agent's memory: adds, pins, searches, edits, forgets", async (given) => {
    const { page, muster, press } = given
    const agent = await muster.agents.create({ name: 'Ada', role: 'ada', systemPrompt: 'x' })
    const { id } = await muster.agents.memory.create(agent.id, { content: 'Likes tea.' })
    await page.goto(`/agents/${agent.id}`)
    await page.getByPlaceholder('What it should remember').fill('Works on Fridays.')
    await press('Add note')
    const notes = page.getByRole('list', { name: 'Notes' })
    await notes.getByText('Works on Fridays.').waitFor()
    await page.getByLabel('Search memory').fill('tea')
    await notes.getByText('Works on Fridays.').waitFor({ state: 'detached' })
    await press('Pin the note')
    await notes.getByText('Pinned ·').waitFor()
    await press('Edit the note')
    const note = page.getByRole('textbox', { name: 'Note', exact: true })
    await note.fill('Likes green tea.')
    await notes.getByRole('button', { name: 'Save' }).click()
    await note.waitFor({ state: 'detached' })
    await notes.getByText('Likes green tea.').waitFor()
    const saved = await muster.agents.memory.retrieve(agent.id, id)
    assert.deepEqual([saved.content, saved.pinned], ['Likes green tea.', true])
    await press('Forget the note')
    await press('Forget it')
    await page.getByText('No matching entries').waitFor()
    assert.equal((await muster.agents.memory.list(agent.id)).length, 1)
  })

  it('lets nobody type into what is being saved or added', async (given) => {
    const { page, person, muster, press } = given
    const { id } = await muster.agents.create({ name: 'Clerk', role: 'clerk', systemPrompt: 's' })
    await page.goto(`/agents/${id}`)
    for (const [method, field, text, button] of [
      ['PATCH', page.getByLabel('Category'), 'Sales', 'Publish'],
      ['POST', page.getByPlaceholder('What it should remember'), 'Letters, no calls.', 'Add note'],
    ] as const) {
      const held = await person.hold(`**/v1/agents/${id}{,/memory*}`, method)
      await field.fill(text)
      await press(button)
      await held.asked
      await page.locator('[inert]').waitFor({ state: 'attached' })
      await field.evaluate((element) => element.focus())
      await page.keyboard.type(' and more')
      assert.equal(await field.inputValue(), text)
      held.release()
      await page.locator('[inert]').waitFor({ state: 'detached' })
    }
    await page.getByText('by a person').waitFor()
    assert.equal((await muster.agents.retrieve(id)).category, 'Sales')
  })
})
