import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe } from 'node:test'
import type { Page } from 'playwright-core'
import { until } from '../../rig/until.ts'
import { setScene } from './scene.ts'

const { it } = setScene()

const question = 'ask {"question": "Which line?"}'
const refund = (customer: string) => `refund {"customer": "${customer}", "amount": 40}`

/** Asserts that the list shows exactly the runs with these inputs. */
async function showsRuns(page: Page, ...inputs: string[]): Promise<void> {
  const list = page.getByRole('list', { name: 'Runs' })
  for (const input of inputs) await list.getByText(input, { exact: true }).waitFor()
  assert.equal(await list.getByRole('listitem').count(), inputs.length)
}

describe('runs', () => {
  it('are found by an id, words of an error and tags, which stand in the address', async (given) => {
    const { page, person, muster, start, run } = given
    const { workflowId, agentId, runId } = await start('say Done.', { name: 'Found' })
    await run(workflowId, { input: 'Of Kolb', tags: { customer: 'kolb', lane: '4' } })
    await run(workflowId, { input: 'Of Kolb again', tags: { customer: 'kolb' } })
    await muster.agents.update(agentId, { status: 'paused' })
    await run(workflowId, { input: 'Of nobody' })

    await page.goto('/runs')
    const field = page.getByRole('searchbox', { name: 'Find runs' })
    const find = async (text: string) => {
      await field.fill(text)
      await field.press('Enter')
    }
    await find('ab')
    await page.getByText('At least 3 characters').waitFor()
    await find(runId)
    await showsRuns(page, 'Order 4711 came late.')
    assert.equal(new URL(page.url()).searchParams.get('find'), runId)
    await person.findsItAccessible()
    await page.getByRole('button', { name: `Remove “${runId}”` }).click()
    await find('is paused')
    // The row shows what was found, in the middle of the error.
    await page.locator('mark', { hasText: 'is' }).waitFor()
    await page.getByText(/^….* is paused/).waitFor()
    assert.equal(await page.getByRole('list', { name: 'Runs' }).getByRole('listitem').count(), 1)
    await person.press('Remove “is paused”')
    await find('customer:kolb')
    await showsRuns(page, 'Of Kolb', 'Of Kolb again')
    await find('lane:4')
    await showsRuns(page, 'Of Kolb')
    await page.reload()
    await showsRuns(page, 'Of Kolb')
    await person.press('Remove lane:4')
    await showsRuns(page, 'Of Kolb', 'Of Kolb again')
    await find('nobody wrote these words')
    await page.getByText('No matching runs').waitFor()
  })

  it('are of workflows whose names are on their way, new, or gone', async (given) => {
    const { page, person, muster, run } = given
    const gone = await muster.workflows.create({ name: 'Gone' })
    await run(gone.id, { input: 'Of one that is gone' })
    await muster.workflows.delete(gone.id)
    const held = await person.hold('**/v1/workflows')
    await page.goto('/runs')
    const row = (input: string) => page.getByRole('link', { name: input })
    await row('Of one that is gone').waitFor()
    assert.equal(await page.getByText('A deleted workflow').count(), 0)
    held.release()
    await row('Of one that is gone').getByText('A deleted workflow').waitFor()
    const made = await muster.workflows.create({ name: 'Made just now' })
    await muster.runs.create(made.id, { input: 'Of one that is new' })
    await row('Of one that is new').getByText('Made just now').waitFor()
  })

  it('are found from the palette', async ({ page }) => {
    await page.goto('/')
    await page.getByRole('navigation', { name: 'Screens' }).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox').fill('new work')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/workflows/new')
    for (const [words, name, value] of [
      ['nobody wrote this', 'find', 'nobody wrote this'],
      ['customer:nobody', 'tag', '["customer:nobody"]'],
    ] as const) {
      await page.goto('/')
      await page.getByRole('navigation', { name: 'Screens' }).waitFor()
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('combobox').fill(words)
      await page.keyboard.press('Enter')
      await page.getByText('No matching runs').waitFor()
      assert.equal(new URL(page.url()).searchParams.get(name), value)
    }
  })

  it('are cancelled and retried many at a time; what was retried before is left out', async (given) => {
    const { page, person, press, muster, start, run } = given
    const { runId, workflowId } = await start(question, { name: 'Many' })
    for (const input of ['Two', 'Three']) await run(workflowId, { input })
    const statuses = async () => [...(await muster.runs.list(workflowId))].map((one) => one.status)
    await page.goto(`/runs?workflow=${workflowId}&state=waiting_input`)
    await press('Select')
    await page.getByRole('checkbox', { name: 'Choose Three' }).check()
    const bar = page.getByRole('region', { name: 'Chosen runs' })
    await bar.getByText('1 chosen').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Retry 0' }).isDisabled())
    await press('All 3 shown')
    await person.findsItAccessible()
    await press('Cancel 3')
    await press('Let them go on')
    assert.deepEqual(await statuses(), Array(3).fill('waiting_input'))
    await press('Cancel 3')
    await press('Cancel 3 runs')
    await bar.getByText('3 of 3 cancelled.').waitFor()
    assert.deepEqual(await statuses(), Array(3).fill('failed'))
    await press('All 3 shown')
    // Meanwhile another person has retried one of the runs.
    await muster.runs.retry(runId)
    await press('Retry 3')
    await page.getByRole('dialog').getByText('retried before are left out').waitFor()
    await person.findsItAccessible()
    await press('Retry 3 runs')
    await bar.getByText('2 of 3 retried. 1 left out').waitFor()
    assert.equal((await statuses()).length, 6)
    // The runs no longer match the filter, but keep their rows, with their current status, while
    // rows are selected.
    const list = page.getByRole('list', { name: 'Runs' })
    assert.equal(await list.getByText('Cancelled', { exact: true }).count(), 3)
    await press('Done')
    await bar.waitFor({ state: 'detached' })
  })

  it('are chosen by the keyboard, which never loses its place', async ({ page, muster, run }) => {
    const { id: agentId } = await muster.agents.create({
      name: 'Paused from the start',
      role: 'clerk',
      systemPrompt: 's',
    })
    await muster.agents.update(agentId, { status: 'paused' })
    const crew = [{ role: 'clerk', systemPrompt: 's', agentId }]
    const { id: workflowId } = await muster.workflows.create({ name: 'By keys', crew })
    const ids: string[] = []
    for (const input of ['One', 'Two', 'Three']) ids.unshift((await run(workflowId, { input })).id)
    await page.goto(`/runs?workflow=${workflowId}`)
    const isIn = (selector: string) =>
      until(`the focus is in ${selector}`, 15_000, () =>
        page.evaluate<boolean>(`document.activeElement.matches('${selector}')`),
      )
    const select = page.getByRole('button', { name: 'Select', exact: true })
    await select.focus()
    await page.keyboard.press('Enter')
    await isIn('[aria-pressed=true]')
    for (const id of ids.slice(0, 2)) {
      await page.keyboard.press('j')
      await isIn(`[data-run=${id}]`)
    }
    await page.keyboard.press('x')
    const bar = page.getByRole('region', { name: 'Chosen runs' })
    await bar.getByText('1 chosen').waitFor()
    await page.keyboard.press('Shift+Tab')
    await isIn('input:checked')
    await page.keyboard.press('j')
    await isIn(`[data-run=${ids[2]}]`)
    await bar.getByRole('button', { name: 'Retry 1' }).focus()
    await page.keyboard.press('Enter')
    const leave = page.getByRole('dialog').getByRole('button', { name: 'Back' })
    await leave.waitFor()
    const hasFocus = () => leave.evaluate((button) => button.matches(':focus'))
    await until('the way out has the focus', 15_000, hasFocus)
    await page.keyboard.press('Enter')
    await leave.waitFor({ state: 'detached' })
    await bar.getByRole('button', { name: 'Done' }).focus()
    await page.keyboard.press('Enter')
    await isIn('[aria-pressed=false]')
  })

  it('lead to the agent whose pause failed them', async ({ page, muster, start, run }) => {
    const { workflowId, agentId } = await start('say Done.', { name: 'Paused' })
    await muster.agents.update(agentId, { status: 'paused' })
    const { id } = await run(workflowId, { input: 'Again.' })
    await page.goto(`/runs/${id}`)
    await page.getByRole('link', { name: 'Open the agent' }).click()
    await page.waitForURL(`**/agents/${agentId}`)
  })

  it('say as which runs they were retried, live, the newest first', async (given) => {
    const { page, person, muster, start } = given
    const { runId } = await start(question, { name: 'Again' })
    await muster.runs.cancel(runId)
    await page.goto(`/runs/${runId}`)
    await page.getByRole('region', { name: 'Cancelled' }).waitFor()
    await person.seesAll()
    const retries = page.getByRole('list', { name: 'Retried as' })
    assert.equal(await retries.count(), 0)
    const ids: string[] = []
    const retry = async () => {
      const { id } = await muster.runs.retry(runId)
      await muster.runs.wait(id)
      ids.unshift(id)
    }
    await retry()
    const first = retries.getByRole('listitem').filter({ hasText: ids[0] as string })
    await first.getByText('Waiting', { exact: true }).waitFor()
    await muster.runs.cancel(ids[0] as string)
    await first.getByText('Cancelled', { exact: true }).waitFor()
    for (let more = 1; more <= 3; more++) await retry()
    const all = page.getByRole('link', { name: 'All retries' })
    await all.waitFor()
    assert.deepEqual(await retries.getByRole('link').allTextContents(), ids.slice(0, 3))
    await person.findsItAccessible()
    await all.click()
    await page.getByRole('button', { name: `Remove Retries of ${runId}` }).waitFor()
    const list = page.getByRole('list', { name: 'Runs' })
    await list.getByRole('listitem').nth(3).waitFor()
    assert.equal(await list.getByRole('listitem').count(), 4)
    await person.findsItAccessible()
    await page.getByRole('button', { name: /^Cancelled/ }).click()
    await list.getByRole('listitem').nth(1).waitFor({ state: 'detached' })
    await list.getByRole('link').click()
    await page.waitForURL(`**/runs/${ids[3]}`)
    await page.getByRole('link', { name: 'Retry of an earlier run' }).click()
    await page.waitForURL(`**/runs/${runId}`)
    await retries.getByRole('link').first().waitFor()
  })

  it('that have not failed say nothing of retries that could not be read', async (given) => {
    const { page, person, muster, start } = given
    const { runId } = await start(question)
    const json = { error: { type: 'invalid_request', code: 'invalid', message: 'Not now.' } }
    let refused = 0
    await page.route('**/v1/runs?*retry_of=*', async (route) => {
      await route.fulfill({ status: 400, json })
      refused++
    })
    await page.goto(`/runs/${runId}`)
    await page.getByRole('region', { name: 'Waiting for a person' }).waitFor()
    await until('the page has asked again by itself', 15_000, () => refused === 2)
    await person.seesAll()
    assert.equal(await page.getByRole('alert').count(), 0)
    await muster.runs.cancel(runId)
    const alert = page.getByRole('alert').filter({ hasText: 'Not now.' })
    await alert.getByRole('button', { name: 'Try again' }).waitFor()
    await page.unrouteAll()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await alert.waitFor({ state: 'detached' })
  })

  it('say which rule decided about a call', async ({ page, start, app, muster }) => {
    const { runId } = await start(question, { name: 'Ruled' })
    const rule = {
      level: 'account',
      position: 1,
      action: 'email.*',
      decision: 'ask',
      reason: 'large',
    }
    await app.sql`update tool_calls set rule = ${JSON.stringify(rule)}::json where run_id = ${runId}`
    const { pending } = await muster.runs.retrieve(runId)
    await page.goto(`/runs/${runId}?at=${pending?.call_id}`)
    await page.getByText('Asked by a rule (number 2, email.*) – “large”').waitFor()
  })

  it('mark a long wait where its bar is, not over the times beside it', async ({ start, sit }) => {
    const { runId } = await start(question, { name: 'Folded' })
    for (const width of [1280, 390]) {
      const { page } = await sit({ width })
      // The page counts whole seconds; a little more than an hour is surely shown as one.
      await page.clock.setFixedTime(Date.now() + 3_630_000)
      await page.goto(`/runs/${runId}`)
      const wait = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').nth(2)
      await wait.getByText('Waiting: a question').waitFor()
      const [fold, bar] = await Promise.all([
        page.locator('[title^="1 h"]').boundingBox(),
        wait.locator('.animate-breathe').boundingBox(),
      ])
      assert.ok(fold !== null && bar !== null)
      assert.ok(Math.abs(fold.x - bar.x) < 2, `the fold is at ${fold.x}, its bar at ${bar.x}`)
      assert.ok(Math.abs(fold.width - bar.width) < 2)
    }
  })

  it(
    'show what a call was given and answered in the page itself on a phone',
    { isPhone: true },
    async ({ page, person, start, respond }) => {
      const { runId, rests } = await start(question, { name: 'Long' })
      await respond(runId, { action: 'input', input: 'The fourth.\n'.repeat(60) })
      await rests()
      await page.goto(`/runs/${runId}`)
      await page.getByRole('list', { name: 'Timeline' }).getByText('request_input').click()
      const detail = page.getByRole('region', { name: 'Detail: request_input' })
      await detail.getByText('The fourth.').first().waitFor()
      assert.ok(((await detail.boundingBox())?.height ?? 0) > 844, 'it scrolls on its own')
      await person.findsItAccessible()
    },
  )

  it('say who triggered them, run again with the same input, and have the instructions of a step', async (given) => {
    const { page, person, muster, start, run } = given
    const { workflowId } = await start('say Done.', {
      name: 'Once more',
      instructions: 'Be **kind**.',
    })
    const { id } = await run(workflowId, { input: 'The same', tags: { customer: 'kolb' } })
    await page.setViewportSize({ width: 1600, height: 900 })
    await page.goto('/runs')
    await page.getByText('Triggered by', { exact: true }).waitFor()
    await page.getByRole('link', { name: /The same.*first admin key/ }).click()
    await page.getByText('by first admin key').waitFor()
    await page.getByRole('list', { name: 'Timeline' }).getByText('clerk').click()
    const detail = page.getByRole('region', { name: 'Detail: clerk' })
    await detail.getByText('Instructions', { exact: true }).click()
    await detail.locator('strong', { hasText: 'kind' }).waitFor()
    await person.findsItAccessible()
    await person.press('Run again')
    await page.waitForURL((url) => url.pathname.startsWith('/runs/') && !url.pathname.endsWith(id))
    const again = await muster.runs.wait(new URL(page.url()).pathname.split('/').at(-1) ?? '')
    assert.deepEqual(
      [again.input, again.tags, again.retry_of],
      ['The same', { customer: 'kolb' }, null],
    )
  })

  it('show what the model saw, turn by turn', async ({ page, person, start }) => {
    const { runId } = await start(`${refund('C-1')}\n${refund('C-2')}`, {
      name: 'Turns',
      people: { approvals: 'never' },
    })
    await page.goto(`/runs/${runId}`)
    await page.getByRole('list', { name: 'Timeline' }).getByText('clerk').click()
    const detail = page.getByRole('region', { name: 'Detail: clerk' })
    await detail.getByText('Model turns').click()
    const first = detail.getByRole('region', { name: 'Turn 1' })
    await first.getByRole('heading', { name: 'Instructions' }).waitFor()
    await first.getByText('Order 4711 came late.').first().waitFor()
    await person.seesAll()
    await first.getByText(/^Offered \d+ tools: .*crm__refund/).click()
    await first.getByText('Pays money back to a customer.').waitFor()
    await first.getByText('350 tokens in, 40 out').waitFor()
    for (const customer of ['C-1', 'C-2']) {
      await first.getByText(`{"customer":"${customer}","amount":40}`, { exact: true }).waitFor()
      await first.getByText(`Paid {"customer":"${customer}","amount":40}`).waitFor()
    }
    const second = detail.getByRole('region', { name: 'Turn 2' })
    await second.getByRole('heading', { name: 'The model' }).waitFor()
    await second.getByText(/^Done\. /).waitFor()
    await person.findsItAccessible()
  })

  it('are filtered by the address, with more at the end', async (given) => {
    const { page, person, muster, start } = given
    const workflow = await muster.workflows.create({ name: 'Busy' })
    const count = 60
    for (let number = 1; number <= count; number++) {
      await muster.runs.create(workflow.id, { input: `Note ${number}` })
    }
    await muster.runs.wait((await muster.runs.list_all()).at(0)?.id ?? '')
    await page.goto('/runs')
    await page.getByLabel('Workflow', { exact: true }).selectOption('Busy')
    await page.waitForURL((url) => url.searchParams.get('workflow') === workflow.id)
    const list = page.getByRole('list', { name: 'Runs' })
    await list.getByText(`Note ${count}`, { exact: true }).waitFor()
    assert.ok((await list.getByRole('listitem').count()) < count, 'all rows are in the page')
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await list.getByText('Note 11', { exact: true }).waitFor()
    await person.seesAll()
    await page.evaluate('scrollTo(0, document.body.scrollHeight)')
    await list.getByText('Note 1', { exact: true }).waitFor()

    const waiting = await start(question, { name: 'Cancelled one' })
    await muster.runs.cancel(waiting.runId)
    await page.goto('/runs?state=failed')
    await page.getByText('No matching runs').or(list).first().waitFor()
    assert.equal(await list.getByText('Cancelled one').count(), 0)
    await page.getByRole('button', { name: /^Cancelled/ }).click()
    await list.getByText('Cancelled one').first().waitFor()
  })

  it('are exported with the filters of the page', async (given) => {
    const { page, person, run, start } = given
    const { workflowId } = await start('say Done.', { name: 'Exported' })
    await run(workflowId, { input: 'To export', tags: { customer: 'exported' } })
    await page.goto('/runs?tag=customer:exported')
    await showsRuns(page, 'To export')
    const save = async (kind: string) => {
      await person.press('Export')
      await person.findsItAccessible()
      const [saved] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: kind }).click(),
      ])
      const lines = (await readFile(await saved.path(), 'utf8')).trimEnd().split(/\r?\n/)
      return { name: saved.suggestedFilename(), lines }
    }
    const csv = await save('CSV')
    assert.equal(csv.name, 'runs.csv')
    assert.equal(csv.lines.length, 2)
    assert.match(csv.lines[1] ?? '', /To export/)
    const json = await save('JSON Lines')
    assert.equal(json.name, 'runs.jsonl')
    const inputs = json.lines.map((line) => (JSON.parse(line) as { input: string }).input)
    assert.deepEqual(inputs, ['To export'])
  })

  it('are found by words of their input and output', async ({ page, start, run }) => {
    const { workflowId } = await start('say Chrysanthemum.', { name: 'Garden' })
    await run(workflowId, { input: 'Of Rhododendron say Chrysanthemum.' })
    const isFound = async () => {
      await page.goto('/runs?find=rhododendron%20chrysanthemum')
      const row = page.getByRole('list', { name: 'Runs' }).getByText(/Rhododendron/)
      const none = page.getByText('No matching runs')
      await row.or(none).first().waitFor()
      return row.isVisible()
    }
    await until('the run is indexed', 20_000, isFound)
  })
})
