import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { complete } from '../../test/test-app.ts'
import { setScene } from './scene.ts'
import { refundScript } from './world.ts'

const { it } = setScene()

const crew = (prompt: string) => [{ role: 'writer', systemPrompt: prompt }]

describe('versions', () => {
  it('let a newcomer change a prompt, try it, compare, publish and go back', async (given) => {
    const { page, person, muster, press, run: runOf } = given
    const { id } = await muster.workflows.create({
      name: 'Summaries',
      model: 'muster/demo',
      crew: crew('Write a long summary.'),
    })
    for (const day of ['Monday', 'Tuesday', 'Friday', 'Sunday'])
      await runOf(id, { input: `The pump failed on ${day}.` })
    await page.goto(`/workflows/${id}`)
    await page.getByRole('button', { name: /^1 writer/ }).click()
    await person.editor('Instructions').fill('Write a short summary.')
    await page.getByLabel('What changed').fill('Readers want less')
    await person.findsItAccessible()
    await press('Save draft')
    await page.getByRole('heading', { name: 'Version 2', level: 2 }).waitFor()
    const changes = page.getByRole('list', { name: 'Changed fields' })
    await changes.locator('del', { hasText: 'long' }).waitFor()
    await changes.locator('ins', { hasText: 'short' }).waitFor()
    const list = page.getByRole('list', { name: 'Versions' })
    await list.getByText('Draft', { exact: true }).waitFor()
    await list.getByText('Readers want less').waitFor()
    await person.findsItAccessible()

    await press('Run version 2 on 3 inputs')
    const trials = page.getByRole('list', { name: 'Trials' })
    await trials.getByText('The pump failed on Sunday.').waitFor()
    await trials.getByText('Completed').nth(2).waitFor()
    await person.findsItAccessible()
    // The compare link of each pair is opened and left again.
    for (const place of [0, 1, 2]) {
      await trials.getByRole('link', { name: 'Compare' }).nth(place).click()
      await page.getByRole('heading', { name: 'Compare runs' }).waitFor()
      await page.goBack()
    }
    await page.setViewportSize({ width: 390, height: 800 })
    await person.fitsWindow()
    await page.setViewportSize({ width: 1280, height: 800 })

    await page.getByPlaceholder('The text that the crew works on').fill('A quiet week.')
    await press('Run and watch')
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    const [run] = await muster.runs.list(id)
    assert.equal(run?.workflow_version, 2)
    assert.equal((await muster.workflows.retrieve(id)).version, 1)
    await page.getByRole('link', { name: 'Version 2' }).click()
    await press('Publish')
    await press('Publish version 2')
    await list.getByText('Earlier', { exact: true }).waitFor()
    assert.equal((await muster.workflows.retrieve(id)).version, 2)

    await list.getByRole('button', { name: /^Version 1/ }).click()
    await press('Go back to this version')
    await press('Go back to version 1')
    await page.getByRole('heading', { name: 'Version 1', level: 2 }).waitFor()
    await page.getByText('Go back to version 1?').waitFor({ state: 'detached' })
    assert.equal((await muster.workflows.retrieve(id)).version, 1)
    await list.getByRole('button', { name: /^Version 2/ }).click()
    await press('Edit')
    await page.getByText('Not saved yet').waitFor()
    await page.getByRole('button', { name: /^1 writer/ }).click()
    assert.match(await person.editor('Instructions').innerText(), /short summary/)
    await page.goto(`/workflows/${id}/versions`)
    await page.getByRole('heading', { name: 'Version 2', level: 2 }).waitFor()
    await page.setViewportSize({ width: 390, height: 800 })
    await person.fitsWindow()
  })

  it('lose nothing where another person publishes first', async (given) => {
    const { page, muster, press } = given
    const { id } = await muster.workflows.create({ name: 'Shared', crew: crew('x') })
    await page.goto(`/workflows/${id}`)
    await page.getByLabel('Description').fill('Mine')
    // Another person publishes after this page was read and before it is saved.
    let isFirst = true
    await page.route(`**/v1/workflows/${id}`, async (route) => {
      if (route.request().method() === 'PATCH' && isFirst) {
        isFirst = false
        await muster.workflows.update(id, { description: 'Theirs' })
      }
      await route.fallback()
    })
    await press('Publish')
    await page.getByText('Someone else changed this').waitFor()
    assert.equal((await muster.workflows.retrieve(id)).description, 'Theirs')
    assert.equal(await page.getByLabel('Description').inputValue(), 'Mine')
    await press('Save draft')
    await page.getByRole('heading', { name: 'Version 3', level: 2 }).waitFor()
    const { definition } = await muster.workflows.versions.retrieve(id, '3')
    assert.equal(definition.description, 'Mine')
  })

  it('of an agent are drafted, tried in a workflow, compared and published', async (given) => {
    const { page, person, muster, press, run } = given
    const model = 'muster/demo'
    const agent = { name: 'Clerk', role: 'clerk', systemPrompt: 's', model }
    const { id } = await muster.agents.create(agent)
    const workflows = await Promise.all(
      ['Letters', 'Orders'].map((name) =>
        muster.workflows.create({
          name,
          crew: [{ role: 'clerk', systemPrompt: 's', agentId: id }],
        }),
      ),
    )
    const [letters, orders] = workflows.map((one) => one.id)
    await run(letters ?? '', { input: 'A letter came.' })
    await run(orders ?? '', { input: 'An order came.' })
    await page.goto(`/agents/${id}`)
    await page.getByLabel('Category').fill('Sales')
    await press('Save draft')
    await page.getByRole('list', { name: 'Changed fields' }).getByText('Sales').waitFor()
    await page.getByLabel('Try it in').selectOption('Orders')
    await press('Run version 2 on 1 input')
    const trials = page.getByRole('list', { name: 'Trials' })
    await trials.getByText('An order came.').waitFor()
    await trials.getByText('Completed').waitFor()
    await person.findsItAccessible()
    await trials.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Compare runs' }).waitFor()
    await page.getByText(/After: *version 2 of the agent/).waitFor()
    const [tried] = await muster.runs.list(orders ?? '')
    const { steps } = await muster.runs.retrieve(tried?.id ?? '')
    assert.equal(steps[0]?.agent_version, 2)
    await page.goBack()
    await press('Publish')
    await press('Publish version 2')
    await page.getByText('Publish version 2?').waitFor({ state: 'detached' })
    assert.equal((await muster.agents.retrieve(id)).category, 'Sales')
  })
})

describe('a fork', () => {
  it('is started from a step with another output, and compared with its run', async (given) => {
    const { page, person, muster, press, run } = given
    const { id } = await muster.workflows.create({
      name: 'Two steps',
      model: 'muster/demo',
      crew: [
        { role: 'planner', systemPrompt: 'Plan.' },
        { role: 'writer', systemPrompt: 'Write.' },
      ],
    })
    const first = await run(id, { input: 'The pump failed on Monday.' })
    await page.goto(`/runs/${first.id}`)
    await press('Fork')
    const dialog = page.getByRole('dialog', { name: 'Fork this run' })
    await dialog.getByLabel('Start at').selectOption('Step 2: writer')
    await dialog.getByText('changed nothing in other systems').waitFor()
    await dialog.getByLabel('Output of planner (step 1)').fill('Say that all is well again.')
    await person.findsItAccessible()
    await press('Start fork')
    await page.getByText('Forked from step 2 of an earlier run').waitFor()
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    const [forked] = await muster.runs.list(id)
    assert.deepEqual(forked?.forked_from, { run_id: first.id, step: 1 })
    await muster.runs.wait(forked?.id ?? '')
    await page.goto(`/runs/${first.id}`)
    await page.getByRole('list', { name: 'Forked as' }).getByRole('link').click()
    await page.getByRole('link', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Compare runs' }).waitFor()
    const steps = page.getByRole('list', { name: 'Steps' })
    await steps.getByText('output given with the fork').waitFor()
    await steps.locator('ins', { hasText: 'well' }).first().waitFor()
    await person.findsItAccessible()
    await page.setViewportSize({ width: 390, height: 800 })
    await person.fitsWindow()
  })

  it('shows first which actions its agents may ask for again', async (given) => {
    const { page, person, press, start, respond } = given
    const { runId } = await start(refundScript, { name: 'Refunds' })
    await respond(runId, { action: 'approve' })
    await page.goto(`/runs/${runId}`)
    await press('Fork')
    const actions = page.getByRole('region', { name: 'Actions of this run' })
    await actions.getByText('crm.refund').waitFor()
    await actions.getByText('Asks again').waitFor()
    await person.findsItAccessible()
  })
})

describe('trying a version on earlier inputs', () => {
  it('tells runs with equal texts apart by their files, and names them', async (given) => {
    const { page, person, muster, run: runOf } = given
    const { id } = await muster.workflows.create({
      name: 'Invoices',
      model: 'muster/demo',
      crew: crew('Extract the total.'),
    })
    const files: string[] = []
    for (const name of ['one.md', 'two.md', 'three.md', 'four.md']) {
      const file = await muster.files.upload(new File([`# ${name}`], name))
      files.push(file.id)
      await runOf(id, { input: 'Summarize it.', files: [file.id] })
    }
    await runOf(id, { input: 'Summarize it.', files: files.slice(0, 1) })
    await runOf(id, { data: { supplier: 'Acme' } })
    await muster.workflows.update(id, { crew: crew('Extract all totals.'), draft: true })
    await page.goto(`/workflows/${id}/versions?version=2`)
    const inputs = page.getByRole('group', { name: 'Inputs to run' })
    await inputs.getByLabel('four.md · Summarize it.').waitFor()
    assert.equal(await inputs.getByRole('checkbox').count(), 5)
    await inputs.getByLabel('{"supplier":"Acme"}').waitFor()
    await person.findsItAccessible()
    await person.press('Run version 2 on 3 inputs')
    const trials = page.getByRole('list', { name: 'Trials' })
    await trials.getByText('Completed').nth(2).waitFor()
    await trials.getByText('four.md · Summarize it.').waitFor()
    const [newest] = await muster.runs.list(id, { limit: 1 })
    const read = await muster.runs.retrieve(newest?.id ?? '')
    assert.equal(read.workflow_version, 2)
  })
})

describe('a failed run', () => {
  it('says since which version its workflow fails, and shows what that changed', async (given) => {
    const { page, muster, start, run } = given
    let fails = false
    const { workflowId } = await start('breaks', {
      script: (_, response) => {
        if (fails) response.writeHead(400).end('{}')
        else complete(response, 'fine')
      },
    })
    await muster.workflows.update(workflowId, { description: 'Changed' })
    fails = true
    const failed = await run(workflowId, { input: 'x' })
    await page.goto(`/runs/${failed.id}`)
    await page.getByText('The workflow fails since version').waitFor()
    await page.getByRole('link', { name: 'View what changed' }).click()
    await page.getByRole('list', { name: 'Changed fields' }).getByText('Changed').first().waitFor()
  })
})
