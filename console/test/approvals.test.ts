import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { join, setScene } from './world.ts'

const scene = setScene()

const refund = `refund {"customer": "C-17", "amount": 500, "reason": "late"}`
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

async function open(page: Page, runId: string): Promise<void> {
  const { pending } = await scene.world.muster.runs.retrieve(runId)
  await page.goto(`/inbox/${pending?.id}`)
  await page.getByRole('article').waitFor()
}

describe('approvals of people', () => {
  it('are two where the workflow says so: the first sees who has to follow, the second who was first', async () => {
    const { runId, rests } = await scene.world.start(refund, { people: { required_approvals: 2 } })
    await rests()
    await using ada = await join(scene, 'Ada', 'approver')
    await using bo = await join(scene, 'Bo', 'member')
    await open(ada.page, runId)
    await ada.page.getByText('0 of 2 approvals').first().waitFor()
    await ada.page.keyboard.press('a')
    await ada.page.getByText('You have approved. Others have to as well.').waitFor()
    assert.ok(await ada.page.getByRole('button', { name: 'Approve', exact: true }).isDisabled())
    await ada.findsItAccessible()

    await open(bo.page, runId)
    const approvals = bo.page.getByRole('region', { name: 'Approvals' })
    await approvals.getByText('1 of 2 approvals').waitFor()
    await approvals.getByText(/^Ada approved/).waitFor()
    await press(bo.page, 'Edit')
    await bo.page.getByLabel('amount').fill('12')
    await press(bo.page, 'Approve as edited')
    await bo.page.getByText('You have approved. Others have to as well.').waitFor()
    await approvals.getByText(/^Bo approved/).waitFor()

    await ada.page.getByText('The action was changed, and waits anew.').waitFor()
    await ada.page.getByRole('link', { name: 'See it as it is now' }).click()
    await ada.page.getByText('1 of 2 approvals').first().waitFor()
    await press(ada.page, 'Approve')
    await ada.page.getByText('You approved it').waitFor()
    await rests()
    const run = await scene.world.muster.runs.retrieve(runId)
    const call = run.steps.at(-1)?.tool_calls[0]
    assert.deepEqual(call?.input, { customer: 'C-17', amount: 12, reason: 'late' })
    assert.deepEqual(
      call.approvals.map(({ name }) => name),
      ['Bo', 'Ada'],
    )
    ada.sawNoFault()
    bo.sawNoFault()
  })

  it('need four eyes where an admin says so', async () => {
    await using cleo = await join(scene, 'Cleo', 'admin')
    const { page } = cleo
    await page.goto('/policies')
    await page.getByLabel('Four eyes').check()
    await page.getByLabel('Agents may read pages of certain hosts only').check()
    await page.getByLabel('Hosts', { exact: true }).fill('https://example.com')
    await press(page, 'Save')
    await page
      .getByText(/web_fetch_hosts\[0\]/)
      .first()
      .waitFor()
    await page.getByLabel('Hosts', { exact: true }).fill('docs.example.com')
    await cleo.findsItAccessible()
    await press(page, 'Save')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    const { four_eyes, web_fetch_hosts } = await scene.world.muster.policies.retrieve()
    assert.deepEqual([four_eyes, web_fetch_hosts], [true, ['docs.example.com']])

    const { workflowId, rests } = await scene.world.start(refund, { name: 'Two of us' })
    await rests()
    await page.goto(`/workflows/${workflowId}`)
    await page.getByLabel('Input of the run').fill('Order 4712 came late.')
    await page.getByRole('button', { name: 'Run and watch' }).click()
    await page.waitForURL(/\/runs\/run_/)
    const runId = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await scene.world.muster.runs.wait(runId)
    await open(page, runId)
    await page.getByText('You triggered this run').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Approve', exact: true }).isDisabled())
    assert.equal(await page.getByRole('button', { name: 'Edit', exact: true }).count(), 0)

    await using dan = await join(scene, 'Dan', 'approver')
    await open(dan.page, runId)
    await press(dan.page, 'Approve')
    await dan.page.getByText('You approved it').waitFor()
    await scene.world.muster.policies.update({ four_eyes: false, web_fetch_hosts: null })
    cleo.sawNoFault()
    dan.sawNoFault()
  })

  it('are for those whom the workflow names', async () => {
    const { workflowId, runId, rests } = await scene.world.start(refund, { name: 'Named' })
    await rests()
    await using eve = await join(scene, 'Eve', 'admin')
    const { page } = eve
    await page.goto(`/workflows/${workflowId}`)
    const may = page.getByRole('group', { name: 'Who may answer' })
    for (const role of ['Approvers', 'Members', 'Admins']) await may.getByLabel(role).uncheck()
    await press(page, 'Save')
    await page
      .getByText(/names 0 people/)
      .first()
      .waitFor()
    await may.getByLabel('Eve').check()
    await eve.findsItAccessible()
    await press(page, 'Save')
    await page.getByText('Not saved yet').waitFor({ state: 'detached' })
    const { human_in_the_loop } = await scene.world.muster.workflows.retrieve(workflowId)
    assert.deepEqual(human_in_the_loop.approvers.roles, [])
    assert.equal(human_in_the_loop.approvers.users.length, 1)

    await scene.world.muster.runs.cancel(runId)
    const named = await scene.world.muster.runs.create(workflowId, { input: 'again' })
    await scene.world.muster.runs.wait(named.id)
    await using fay = await join(scene, 'Fay', 'approver')
    await open(fay.page, named.id)
    await fay.page.getByText('The workflow says that others answer.').waitFor()
    assert.equal(await fay.page.getByRole('button', { name: 'Approve', exact: true }).count(), 0)
    eve.sawNoFault()
    fay.sawNoFault()
  })
})
