import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { callTools, complete, toolResults } from '../../test/test-app.ts'
import { isTitled, setScene } from './scene.ts'
import { refundScript } from './world.ts'

const { it } = setScene()

describe('a page that is heard', () => {
  it('says what happens to a run, and its title follows', async (given) => {
    const { page, start, respond, context } = given
    const gate = Promise.withResolvers<void>()
    const started = await start('hang', {
      name: 'Slow refunds',
      script: async (request, response) => {
        await gate.promise
        if (toolResults(request).length > 0) return complete(response, 'Paid.', 10, 5)
        const refund = '{"customer": "C-17", "amount": 5, "reason": "late"}'
        callTools(response, [{ id: 'call-1', name: 'crm__refund', arguments: refund }], 10, 5)
      },
    })
    await page.goto(`/runs/${started.runId}`)
    await page.getByRole('heading', { level: 1, name: 'Slow refunds' }).waitFor()
    await page.getByText('Running', { exact: true }).first().waitFor()
    await isTitled(page, /Running · Run of Slow refunds/)
    const messages = page.getByRole('status', { name: 'Messages' })
    gate.resolve()
    await messages.getByText('clerk waits for approval of crm.refund.').waitFor()
    await isTitled(page, /Waiting · Run of Slow refunds/)
    await respond(started.runId, { action: 'approve' })
    await messages.getByText('Step 2, clerk, is done. The run: completed.').waitFor()
    await isTitled(page, /Completed · Run of Slow refunds/)
    await context.grantPermissions(['clipboard-write'])
    await page.getByRole('button', { name: 'Copy the id' }).focus()
    await page.keyboard.press('Enter')
    await messages.getByText('Copied', { exact: true }).waitFor()
  })

  it('has a title and a heading of its own for each case and each unknown page', async (given) => {
    const { page, start, openCase } = given
    await openCase(page, await start(refundScript))
    const heading = page.getByRole('heading', { level: 1 })
    const title = await heading.innerText()
    await isTitled(page, new RegExp(`^(\\(\\d+\\) )?${RegExp.escape(title)} · Inbox · Muster$`))
    for (const path of ['/nothing', '/runs/run_00000000000000000000000000', '/profile']) {
      await page.goto(path)
      await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
      await isTitled(page, /Page not found/)
    }
    await page.goto('/inbox/pend_00000000000000000000000000')
    await page.getByRole('heading', { level: 1, name: 'no longer open' }).waitFor()
  })

  it('names the values of a row, and shows exact times without a pointer', async (given) => {
    const { page, start } = given
    const { runId } = await start('say Done.')
    await page.goto('/runs')
    const row = page.locator(`a[href="/runs/${runId}"]`)
    await row.waitFor()
    const words = await row.evaluate((one) => one.textContent)
    for (const column of ['Duration: ', 'Cost: ', 'Triggered: ']) assert.ok(words.includes(column))
    const year = String(new Date().getFullYear())
    const time = row.locator('time').last()
    assert.ok(!(await time.innerText()).includes(year))
    await page.keyboard.press('t')
    await time.getByText(year).waitFor()
    await page.reload()
    await time.getByText(year).waitFor()
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('how long ago')
    await page.keyboard.press('Enter')
    await time.getByText(/ago|just now/).waitFor()
  })

  it('ties the error of an editor to it', async (given) => {
    const { page, person, start } = given
    const { agentId } = await start('say Done.')
    await page.goto(`/agents/${agentId}`)
    await page.locator('summary', { hasText: 'Output schema' }).click()
    const editor = person.editor('Output schema')
    await editor.focus()
    await page.keyboard.type('5')
    await page.locator('[contenteditable][aria-invalid=true]').waitFor()
    const description = await editor.evaluate((one) => {
      const root = one.getRootNode() as unknown as {
        getElementById: (id: string) => { textContent: string } | null
      }
      return root.getElementById(one.getAttribute('aria-describedby') ?? '')?.textContent
    })
    assert.equal(description, 'Enter a JSON object')
  })
})
