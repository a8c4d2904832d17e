import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setScene } from './scene.ts'
import { refundScript } from './world.ts'

const { it } = setScene()

describe('rules', () => {
  it('are made of a request: the same call goes out unasked from then on, until it is undone', async (given) => {
    const { page, person, muster, start, press, openCase } = given
    const started = await start(refundScript, { name: 'Always the same' })
    await openCase(page, started)
    await press('Always allow this…')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('reason').uncheck()
    await press('Try on past decisions')
    await dialog.getByRole('status').waitFor()
    await person.findsItAccessible()
    await press('Add rule')
    await page.getByText('Rule added to the policies.').waitFor()
    const [rule] = (await muster.policies.retrieve()).rules
    assert.ok(rule !== undefined)
    assert.match(rule.when ?? '', /args\["amount"\] == 500 && .*agent\.role == /)
    assert.doesNotMatch(rule.when ?? '', /args\["reason"\]/)
    const days = (Date.parse(rule.expires_at ?? '') - Date.now()) / 86_400_000
    assert.ok(days > 88 && days <= 90)
    const { pending } = await muster.runs.retrieve(started.runId)
    const tested = await muster.rules.test({ pending_id: pending?.id ?? '' })
    assert.equal(tested.outcome, 'execute')
    await press('Undo')
    await page.getByRole('button', { name: 'Always allow this…' }).waitFor()
    assert.deepEqual((await muster.policies.retrieve()).rules, [])
  })

  it('are offered to admins alone', async ({ join, start, openCase }) => {
    const ada = await join('Ada', 'member')
    await openCase(ada.page, await start(refundScript, { name: 'For admins' }))
    await ada.page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
    assert.equal(await ada.page.getByRole('button', { name: 'Always allow this…' }).count(), 0)
  })

  it('are suggested by decisions, tried, accepted and undone', async (given) => {
    const { page, person, muster, app, start, press } = given
    const { runId } = await start(refundScript, { name: 'Suggested' })
    const { pending } = await muster.runs.wait(runId, { timeoutMs: 20_000 })
    await muster.runs.respond(runId, { action: 'approve', pending_id: pending?.id ?? '' })
    await muster.runs.wait(runId, { timeoutMs: 20_000 })
    await app.sql`
      insert into tool_calls (account_id, run_id, step_position, turn, position, id, provider_call_id, tool, sensitive,
                              tool_version, input, status, output, decision, decided_by, decided_at)
      select account_id, run_id, step_position, nth, 0, id || '_' || nth, id || nth, tool, sensitive, tool_version, input,
             'rejected', 'out', decision, decided_by, decided_at - nth * interval '1 second'
      from tool_calls, generate_series(10, 30) as nth where run_id = ${runId} and tool = 'crm.refund'`
    await page.goto('/policies')
    const suggested = page.getByRole('list', { name: 'Suggested rules' })
    await suggested.getByText('22 approvals in a row').waitFor()
    await suggested.getByRole('button', { name: 'Try on past decisions' }).click()
    await suggested.getByText(/would have allowed 22/).waitFor()
    await person.findsItAccessible()
    await press('Add rule')
    await suggested.getByText('Rule added to the policies.').waitFor()
    const [rule] = (await muster.policies.retrieve()).rules
    assert.equal(rule?.action, 'crm.refund')
    await press('Undo')
    await suggested.getByRole('button', { name: 'Add rule' }).waitFor()
    assert.deepEqual((await muster.policies.retrieve()).rules, [])
  })

  it('of agents and crew entries are edited, and kept by other edits', async (given) => {
    const { page, person, muster } = given
    const block = { action: 'crm.refund', decision: 'block' as const }
    const fields = { name: 'Ruled', role: 'clerk', systemPrompt: 'act' }
    const { id: agentId } = await muster.agents.create(fields)
    await page.goto(`/agents/${agentId}`)
    await page.getByText('Rules · none').click()
    await page.getByLabel('Rules').fill(JSON.stringify([block]))
    await page.getByRole('button', { name: 'Try on past decisions' }).click()
    await page.getByText('No one has decided about such an action yet.').waitFor()
    await person.publish()
    assert.deepEqual((await muster.agents.retrieve(agentId)).rules, [block])

    const crew = [{ role: 'clerk', systemPrompt: 'act', rules: [block] }]
    const { id } = await muster.workflows.create({ name: 'Keeps rules', crew })
    await page.goto(`/workflows/${id}`)
    await page.getByRole('button', { name: /^1 clerk/ }).click()
    await page.getByText('Rules · 1 rule').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Still keeps rules')
    await person.publish()
    assert.deepEqual((await muster.workflows.retrieve(id)).crew[0]?.rules, [block])
    await page
      .getByLabel('Rules')
      .fill('[{ "action": "crm.*", "decision": "ask", "when": "args." }]')
    await page.getByRole('button', { name: 'Publish' }).click()
    await person.sees(/rules\[0\]\.when is no CEL condition/)
  })
})
