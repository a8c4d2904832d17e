import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { setScene } from './scene.ts'
import { refundScript } from './world.ts'

const { it } = setScene()

describe('approvals of people', () => {
  it('are two where the workflow says so: the first sees who has to follow, the second who was first', async (given) => {
    const { start, join, openCase } = given
    const started = await start(refundScript, { people: { required_approvals: 2 } })
    const ada = await join('Ada', 'approver')
    const bo = await join('Bo', 'member')
    await openCase(ada.page, started)
    await ada.page.getByText('0 of 2 approvals').first().waitFor()
    await ada.page.keyboard.type('aa')
    await ada.page.getByText('You approved this. Other people have to approve it too.').waitFor()
    assert.ok(await ada.page.getByRole('button', { name: 'Approve', exact: true }).isDisabled())
    await ada.findsItAccessible()

    await openCase(bo.page, started)
    const approvals = bo.page.getByRole('region', { name: 'Approvals' })
    await approvals.getByText('1 of 2 approvals').waitFor()
    await approvals.getByText(/^Ada approved/).waitFor()
    await bo.press('Edit')
    await bo.page.getByLabel('amount').fill('12')
    await bo.press('Approve with changes')
    await bo.page.getByText('You approved this. Other people have to approve it too.').waitFor()
    await approvals.getByText(/^Bo approved/).waitFor()

    await ada.page.getByText('The action was changed and needs approval again.').waitFor()
    await ada.page.getByRole('link', { name: 'View current request' }).click()
    await ada.page.getByText('1 of 2 approvals').first().waitFor()
    await ada.press('Approve')
    await ada.page.getByText('You approved this').waitFor()
    const { call } = await started.result()
    assert.deepEqual(call?.input, { customer: 'C-17', amount: 12, reason: 'late' })
    assert.deepEqual(
      call.approvals.map(({ name }) => name),
      ['Bo', 'Ada'],
    )
  })

  it('need four eyes where an admin says so', async ({ muster, start, join, openCase }) => {
    const cleo = await join('Cleo', 'admin')
    const { page } = cleo
    await page.goto('/policies')
    await page.getByLabel('Four eyes').check()
    await page.getByLabel('Agents may read pages of certain hosts only').check()
    await page.getByLabel('Hosts', { exact: true }).fill('https://example.com')
    await cleo.press('Save')
    await cleo.sees(/web_fetch_hosts\[0\]/)
    await page.getByLabel('Hosts', { exact: true }).fill('docs.example.com')
    await cleo.findsItAccessible()
    await cleo.save()
    const { four_eyes, web_fetch_hosts } = await muster.policies.retrieve()
    assert.deepEqual([four_eyes, web_fetch_hosts], [true, ['docs.example.com']])

    const { workflowId } = await start(refundScript, { name: 'Two of us' })
    await page.goto(`/workflows/${workflowId}`)
    await page.getByLabel('Input', { exact: true }).fill('Order 4712 came late.')
    await cleo.press('Run and watch')
    await page.waitForURL(/\/runs\/run_/)
    const runId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await openCase(page, { runId })
    await page.getByText('You triggered this run').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled())
    assert.equal(await page.getByRole('button', { name: 'Edit', exact: true }).count(), 0)

    const dan = await join('Dan', 'approver')
    await openCase(dan.page, { runId })
    await dan.press('Approve')
    await dan.page.getByText('You approved this').waitFor()
    await muster.policies.update({ four_eyes: false, web_fetch_hosts: null })
  })

  it('are for those whom the workflow names', async ({ muster, start, join, openCase }) => {
    const { workflowId, runId } = await start(refundScript, { name: 'Named' })
    const eve = await join('Eve', 'admin')
    const { page } = eve
    await page.goto(`/workflows/${workflowId}`)
    await page.getByRole('tab', { name: 'Approvals' }).click()
    const may = page.getByRole('group', { name: 'Who may answer' })
    for (const role of ['Approvers', 'Members', 'Admins']) await may.getByLabel(role).uncheck()
    await eve.press('Publish')
    await eve.sees(/names 0 people/)
    await may.getByLabel('Eve').check()
    await eve.findsItAccessible()
    await eve.publish()
    const { human_in_the_loop } = await muster.workflows.retrieve(workflowId)
    assert.deepEqual(human_in_the_loop.approvers.roles, [])
    assert.equal(human_in_the_loop.approvers.users.length, 1)

    await muster.runs.cancel(runId)
    const named = await muster.runs.create(workflowId, { input: 'again' })
    const fay = await join('Fay', 'approver')
    await openCase(fay.page, { runId: named.id })
    await fay.page.getByText('You are not an approver of this workflow.').waitFor()
    assert.equal(await fay.page.getByRole('button', { name: 'Approve', exact: true }).count(), 0)
  })
})
