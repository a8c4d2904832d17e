import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { isTitled, setScene } from './scene.ts'

const { it } = setScene()

const invisible = /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/
const hostile = [
  '<script>document.title = "mine"</script><img src=x onerror="document.title = 1">',
  '![](https://evil.example/pixel.png) [click](javascript:alert(1)) https://evil.example',
  'pay \u202e000,1\u202c to\u200b\u200b me',
].join(' ')

describe('a run that means harm', () => {
  it('is text, all of it, and nothing else', async ({ page, person, start, app }) => {
    const started = await start(`say ${hostile}`, { instructions: 'Be hostile.', input: hostile })
    const run = await started.rests()
    assert.equal(run.status, 'completed', run.error ?? '')
    // The service takes no line this long from a model, so it is written into the database.
    await app.database
      .updateTable('runs')
      .set({ output: `${run.output} ${'x'.repeat(300_000)} the end` })
      .where('id', '=', run.id)
      .execute()
    await page.goto(`/runs/${started.runId}`)
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    await page.getByText('<script>document.title = "mine"</script>').first().waitFor()
    await page.getByText('U+202E').first().waitFor()
    const length = Number(await page.evaluate('document.body.innerText.length'))
    assert.ok(length < 30_000, `${length} characters are in the page`)
    const more = page.getByRole('button', { name: /^Show more/ }).first()
    while (await more.isVisible()) await more.click()
    await page.getByText('the end').first().waitFor()
    assert.equal(await page.locator('main img, main script, main iframe').count(), 0)
    assert.equal(await page.locator('main a[href^="javascript"]').count(), 0)
    await isTitled(page, /^\w+ · Run of Support/)
    await person.fitsWindow()
  })

  it('shows in lists and cases as text on its lines, with nothing that is invisible', async (given) => {
    const { page, person, muster, start } = given
    const mail = { to: 'ada@example.com', subject: 'Hello', text: hostile }
    const options = { name: 'Harm', input: hostile }
    const started = await start(`mail ${JSON.stringify(mail)}`, options)
    const tags = { customer: 'a\u202eb\u200bc' }
    await muster.runs.create(started.workflowId, { input: hostile, tags })
    const failed = await muster.runs.create(started.workflowId, { input: hostile, tags })
    await muster.runs.cancel(failed.id)
    const { pending } = await muster.runs.retrieve(started.runId)
    for (const path of ['/', '/runs', '/inbox', `/inbox/${pending?.id}`, `/runs/${failed.id}`]) {
      await page.goto(path)
      await page.getByText('U+202E').first().waitFor()
      await person.seesAll()
      const text = String(await page.evaluate('document.body.innerText + document.title'))
      assert.doesNotMatch(text, invisible, path)
      assert.equal(await page.locator('main img, main script, main iframe').count(), 0)
      await person.fitsWindow()
    }
    await page.goto(`/inbox/${pending?.id}`)
    await page.getByRole('region', { name: 'Action' }).getByText('U+200B ×2').first().waitFor()
    await page.goto('/runs')
    await page.getByText('customer: a‹U+202E›b‹U+200B›c').first().waitFor()
  })

  it('has names whose invisible characters are named wherever they stand', async (given) => {
    const { page, person, muster, start } = given
    const bad = 'ops\u202etxe\u200b team'
    const started = await start('say done', { name: bad })
    const { workflowId, agentId, runId } = started
    await muster.agents.update(agentId, { name: bad, role: bad, description: bad })
    const { crew } = await muster.workflows.retrieve(workflowId)
    await muster.workflows.update(workflowId, {
      description: bad,
      crew: crew.map((entry) => ({ ...entry, role: bad })),
    })
    await muster.api_keys.create({ name: bad, role: 'viewer' })
    const again = await muster.runs.create(workflowId, { input: bad, tags: { team: bad } })
    await muster.runs.retrieve(again.id, { wait: 30 })
    const ids = [
      `workflows/${workflowId}`,
      `agents/${agentId}`,
      `runs/${runId}`,
      `runs/${again.id}`,
    ]
    const lists = 'workflows agents runs usage api-keys inbox connectors people audit'.split(' ')
    for (const path of ['', ...lists, ...ids]) {
      await page.goto(`/${path}`)
      await page.getByRole('heading').first().waitFor()
      await person.seesAll()
      const text = String(await page.evaluate('document.body.innerText + document.title'))
      assert.doesNotMatch(text, invisible, path)
    }
  })

  it('of many calls has only those in view in the page', async ({ page, muster, start }) => {
    const lines = Array.from({ length: 40 }, (_, n) => `refund {"customer": "C-${n}", "amount": 1}`)
    const started = await start(lines.join('\n'), {
      instructions: 'Pay everybody.',
      people: { approvals: 'never' },
    })
    await page.goto(`/runs/${started.runId}`)
    const timeline = page.getByRole('list', { name: 'Timeline' })
    await timeline.getByText('planner').waitFor()
    const { steps } = await muster.runs.retrieve(started.runId)
    const calls = steps.flatMap(({ tool_calls }) => tool_calls).length
    assert.equal(calls, lines.length)
    const rows = await timeline.getByRole('listitem').count()
    assert.ok(rows < calls, `${rows} rows are in the page`)
    for (let press = 0; press < calls + 2; press++) await page.keyboard.press('j')
    await timeline.getByRole('listitem').last().locator('[aria-pressed=true]').waitFor()
    await page.getByRole('region', { name: 'Detail: crm.refund' }).waitFor()
  })
})
