import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setScene } from './scene.ts'
import { refundScript } from './world.ts'

const { it } = setScene()

describe('rules', () => {
  it('are proposed for a request, changed by keys, and let the same call out until undone', async (given) => {
    const { page, person, muster, start, press, openCase } = given
    const started = await start(refundScript, { name: 'Always the same' })
    await openCase(page, started)
    await page.getByRole('button', { name: 'Always allow this…' }).press('Enter')
    const dialog = page.getByRole('dialog')
    const sentence = dialog.getByRole('status').first()
    await sentence
      .getByText(/^Allow crm\.refund if amount is 500 and customer is C-17 and/)
      .waitFor()
    await dialog.getByText('No call like this was approved before').waitFor()
    // The amount becomes a range, by keys alone.
    const amount = dialog.getByRole('group', { name: 'Condition 1' })
    await amount.getByLabel('Test').focus()
    await page.keyboard.type('is from')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('100')
    await page.keyboard.press('Tab')
    await page.keyboard.type('600')
    await sentence.getByText(/if amount is from 100 to 600 and/).waitFor()
    await dialog.getByRole('button', { name: 'Remove condition 3' }).press('Enter')
    await dialog.locator('summary').last().press('Enter')
    const cel = dialog.getByRole('textbox', { name: 'Condition as CEL' })
    assert.match(await cel.inputValue(), /\(args\["amount"\] >= 100 && args\["amount"\] <= 600\)/)
    assert.equal(await dialog.getByText('Such calls would still need approval').count(), 0)
    await press('Try on past decisions')
    await dialog.getByText('No one has decided about such an action yet.').waitFor()
    await person.findsItAccessible()
    await dialog.getByLabel('Reason').press('Enter')
    await page.getByText('Rule added to the policies.').waitFor()
    const [rule] = (await muster.policies.retrieve()).rules
    assert.ok(rule !== undefined)
    assert.match(
      rule.when ?? '',
      /args\["customer"\] == "C-17" && workflow\.id == .*agent\.role == /,
    )
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

  it('for emails name the domain that recurs, and that there are no copies', async (given) => {
    const { page, muster, start, press, openCase } = given
    const mail = (to: string) => `mail ${JSON.stringify({ to, subject: `For ${to}`, text: to })}`
    const { workflowId, ...first } = await start(mail('ada@example.com'), { name: 'Letters' })
    const approve = async (runId: string) => {
      const { pending } = await muster.runs.wait(runId, { timeoutMs: 20_000 })
      await muster.runs.respond(runId, { action: 'approve', pending_id: pending?.id ?? '' })
      await muster.runs.wait(runId, { timeoutMs: 20_000 })
    }
    await approve(first.runId)
    // The next run of the workflow writes to someone else.
    given.scripts.set(mail('ada@example.com'), mail('bob@example.com'))
    const { id: runId } = await muster.runs.create(workflowId, { input: 'Write to Bob.' })
    await openCase(page, { runId })
    await press('Always allow this…')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/^Allow emails to anyone at example\.com, without copies, in/).waitFor()
    await dialog.getByText('Made of this call and 1 approved call like it.').waitFor()
    await press('Add rule')
    await page.getByText('Rule added to the policies.').waitFor()
    const letter = { to: 'cy@example.com', subject: 's', text: 't' }
    const outcomeOf = async (args: object) => {
      const call = { action: 'email.send', args: { ...letter, ...args }, workflow_id: workflowId }
      return (await muster.rules.test({ ...call, order: 1 })).outcome
    }
    assert.equal(await outcomeOf({}), 'execute')
    assert.equal(await outcomeOf({ cc: 'eve@example.net' }), 'ask')
    assert.equal(await outcomeOf({ to: 'eve@example.net' }), 'ask')
    await press('Undo')
  })

  it('are a list with a form, and JSON that is the same; what has no field stays as its CEL', async (given) => {
    const { page, person, muster, press } = given
    const strange = 'args.amount > 10.0 || size(args.customer) > 3 // by hand'
    const kept = {
      action: 'crm.refund',
      when: strange,
      decision: 'ask' as const,
      reason: 'by hand',
    }
    await muster.policies.update({ rules: [kept] })
    await page.goto('/policies')
    const rules = page.getByRole('list', { name: 'Rules', exact: true })
    await rules.getByText(`Ask about crm.refund if ${strange}`).waitFor()

    await page.getByRole('button', { name: 'New rule' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await page.keyboard.type('email.send')
    await dialog.getByRole('button', { name: 'Add condition' }).press('Enter')
    const row = dialog.getByRole('group', { name: 'Condition 1' })
    // The focus is in the new row.
    await page.keyboard.type('To')
    await page.keyboard.press('Tab')
    await page.keyboard.type('is anyone')
    await row.getByLabel('Value').fill('not a domain')
    await dialog.getByText('Enter a domain, such as example.com').waitFor()
    assert.ok(await dialog.getByRole('button', { name: 'Add to the list' }).isDisabled())
    await row.getByLabel('Value').fill('example.com')
    await dialog.getByText('with copies to anyone').waitFor()
    await dialog.getByRole('button', { name: 'Allow no copies' }).press('Enter')
    const copies = dialog.getByRole('group', { name: 'Condition 2' })
    assert.equal(await copies.getByLabel('Test').inputValue(), 'absent')
    await dialog.getByText('Allow emails to anyone at example.com, without copies.').waitFor()
    await person.findsItAccessible()
    await dialog.getByLabel('Ends on').fill('2099-01-31')
    await dialog.getByLabel('Reason').press('Enter')
    await rules.getByText('Allow emails to anyone at example.com, without copies').waitFor()

    // A reason is changed; the condition that no field expresses is not.
    await page.getByRole('button', { name: 'Change rule 1' }).press('Enter')
    await dialog.getByLabel('Value').waitFor()
    assert.equal(await dialog.getByLabel('Value').inputValue(), strange)
    await dialog.getByLabel('Reason').fill('changed')
    await dialog.getByLabel('Reason').press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Move rule 2 up' }).press('Enter')
    await rules
      .getByRole('listitem')
      .first()
      .getByText(/^Allow emails/)
      .waitFor()
    // The focus follows the rule: the next key moves it on, and one more back.
    for (const place of [1, 0]) {
      await page.keyboard.press('Enter')
      const row = rules.getByRole('listitem').nth(place)
      await row.getByText(/^Allow emails/).waitFor()
    }
    await press('Edit as JSON')
    const json = page.getByRole('textbox', { name: 'Rules' })
    const shown = JSON.parse(await json.inputValue())
    assert.deepEqual(shown[1], { ...kept, reason: 'changed' })
    await press('Edit as a list')
    await person.findsItAccessible()
    await person.save()
    const [mails, ask, ...others] = (await muster.policies.retrieve()).rules
    assert.deepEqual([ask, others], [{ ...kept, reason: 'changed' }, []])
    assert.match(mails?.when ?? '', /^args\["to"\]\.matches\(.*\) && !\("cc" in args\)$/)
    assert.equal(mails?.expires_at, '2099-01-31T00:00:00Z')
    await page.getByRole('button', { name: 'Remove rule 2' }).press('Enter')
    await page.getByRole('button', { name: 'Remove rule 1' }).press('Enter')
    await person.save()
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
    const { page, person, muster, press } = given
    const block = { action: 'crm.refund', decision: 'block' as const }
    const fields = { name: 'Ruled', role: 'clerk', systemPrompt: 'act' }
    const { id: agentId } = await muster.agents.create(fields)
    await page.goto(`/agents/${agentId}`)
    await page.getByText('Rules · none').click()
    await press('Edit as JSON')
    await page.getByRole('textbox', { name: 'Rules' }).fill(JSON.stringify([block]))
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
    await press('Edit as JSON')
    await page
      .getByRole('textbox', { name: 'Rules' })
      .fill('[{ "action": "crm.*", "decision": "ask", "when": "args." }]')
    await page.getByRole('button', { name: 'Publish' }).click()
    await person.sees(/rules\[0\]\.when is no CEL condition/)
  })
})
