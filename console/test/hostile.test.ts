import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setScene } from './world.ts'

const scene = setScene()

const hostile = [
  '<script>document.title = "mine"</script><img src=x onerror="document.title = 1">',
  '![](https://evil.example/pixel.png) [click](javascript:alert(1)) https://evil.example',
  'pay \u202e000,1\u202c to\u200b me',
].join(' ')

describe('a run that means harm', () => {
  it('is text, all of it, and nothing else', async () => {
    const started = await scene.world.start(`say ${hostile}`, {
      instructions: 'Be hostile.',
      input: hostile,
    })
    await started.rests()
    const run = await scene.world.muster.runs.retrieve(started.runId)
    assert.equal(run.status, 'completed', run.error ?? '')
    // A line longer than the service takes of a model.
    await scene.world.app.database
      .updateTable('runs')
      .set({ output: `${run.output} ${'x'.repeat(1_000_000)} the end` })
      .where('id', '=', run.id)
      .execute()
    await using person = await scene.sit()
    const { page } = person
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
    assert.equal(await page.locator('main a[href*="evil"], main a[href^="javascript"]').count(), 0)
    assert.match(await page.title(), /^Run of Support/)
    const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
    assert.ok(wide <= 1280, `the page is ${wide} px wide`)
    person.sawNoFault()
  })

  it('shows in lists and cases as text on its lines, with nothing that is invisible', async () => {
    const { muster } = scene.world
    const started = await scene.world.start(`ask ${JSON.stringify({ question: hostile })}`, {
      name: 'Harm',
      input: hostile,
    })
    await started.rests()
    const tags = { customer: 'a\u202eb\u200bc' }
    await muster.runs.create(started.workflowId, { input: hostile, tags })
    const failed = await muster.runs.create(started.workflowId, { input: hostile, tags })
    await muster.runs.cancel(failed.id)
    await using person = await scene.sit()
    const { page } = person
    const { pending } = await muster.runs.retrieve(started.runId)
    for (const path of ['/', '/runs', '/inbox', `/inbox/${pending?.id}`, `/runs/${failed.id}`]) {
      await page.goto(path)
      await page.getByText('U+202E').first().waitFor()
      await person.seesAll()
      const text = String(await page.evaluate('document.body.innerText + document.title'))
      assert.doesNotMatch(text, /[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/, path)
      assert.equal(await page.locator('main img, main script, main iframe').count(), 0)
      const wide = Number(await page.evaluate('document.documentElement.scrollWidth'))
      assert.ok(wide <= 1280, `${path} is ${wide} px wide`)
    }
    await page.goto('/runs')
    await page.getByText('customer: a‹U+202E›b‹U+200B›c').first().waitFor()
    person.sawNoFault()
  })

  it('has names whose invisible characters are named wherever they stand', async () => {
    const { muster } = scene.world
    const bad = 'ops\u202etxe\u200b team'
    const started = await scene.world.start('say done', { name: bad })
    await started.rests()
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
    await using person = await scene.sit()
    const { page } = person
    const leaks: string[] = []
    for (const path of [
      '/',
      '/workflows',
      `/workflows/${workflowId}`,
      '/agents',
      `/agents/${agentId}`,
      '/runs',
      `/runs/${runId}`,
      `/runs/${again.id}`,
      '/usage',
      '/api-keys',
      '/inbox',
      '/connectors',
      '/people',
      '/audit',
    ]) {
      await page.goto(path)
      await page.getByRole('heading').first().waitFor()
      await person.seesAll()
      const text = String(await page.evaluate('document.body.innerText + document.title'))
      const found = /.{0,30}[\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff].{0,10}/.exec(text)
      if (found !== null) leaks.push(`${path}: ${JSON.stringify(found[0])}`)
    }
    assert.deepEqual(leaks, [])
    person.sawNoFault()
  })

  it('of many calls has only those in view in the page', async () => {
    const lines = Array.from({ length: 40 }, (_, n) => `refund {"customer": "C-${n}", "amount": 1}`)
    const started = await scene.world.start(lines.join('\n'), {
      instructions: 'Pay everybody.',
      people: { approvals: 'never' },
    })
    await started.rests()
    await using person = await scene.sit()
    const { page } = person
    await page.goto(`/runs/${started.runId}`)
    const timeline = page.getByRole('list', { name: 'Timeline' })
    await timeline.getByText('planner').waitFor()
    const { steps } = await scene.world.muster.runs.retrieve(started.runId)
    const calls = steps.flatMap(({ tool_calls }) => tool_calls).length
    assert.equal(calls, lines.length)
    const rows = await timeline.getByRole('listitem').count()
    assert.ok(rows < calls, `${rows} rows are in the page`)
    for (let press = 0; press < calls + 2; press++) await page.keyboard.press('j')
    await timeline.getByRole('listitem').last().locator('[aria-pressed=true]').waitFor()
    await page.getByRole('region', { name: 'Detail: crm.refund' }).waitFor()
    person.sawNoFault()
  })
})
