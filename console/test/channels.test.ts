import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { imapPassword, startImapServer } from '../../rig/imap-server.ts'
import { until } from '../../rig/until.ts'
import { setScene } from './scene.ts'
import { refundScript } from './world.ts'

const { it } = setScene()

describe('channels', () => {
  it('are created, tested, paused and deleted, and alerts beside them', async (given) => {
    const { page, press, person, mail, sit } = given
    await page.goto('/channels')
    await press('New channel')
    await page.getByLabel('Name', { exact: true }).fill('On call')
    await page.getByLabel('Recipients').fill('not an address')
    await press('Create channel')
    await person.sees(/expected an email address/)
    await page.getByLabel('Recipients').fill('ops@example.com\nada@example.com')
    await press('Create channel')
    const row = page.getByRole('region', { name: 'On call' })
    await row.getByText('Working').waitFor()
    await row.getByRole('button', { name: 'Send a test' }).click()
    await row.getByText(/took the message for ops@example.com, ada@example.com/).waitFor()
    assert.ok(mail.mails.some(({ subject }) => subject === 'Test message from Muster'))
    await press('New alert')
    await page.getByLabel('When').selectOption('A request waits too long')
    await page.getByLabel('Longer than minutes').fill('30')
    await press('Create alert')
    const alert = page.getByRole('region', { name: 'A request waits too long' })
    await alert.getByText('Never sent').waitFor()
    await alert.getByRole('button', { name: 'Pause' }).click()
    await alert.getByText('Paused').waitFor()
    await person.findsItAccessible()
    await page.goto('/')
    await person.sees('1 channel working')
    const viewer = await sit({ role: 'viewer' })
    await viewer.page.goto('/channels')
    await viewer.page.getByRole('region', { name: 'On call' }).waitFor()
    assert.equal(await viewer.page.getByRole('button', { name: 'Delete' }).count(), 0)
    await page.goto('/channels')
    await row.getByRole('button', { name: 'Delete' }).click()
    await press('Delete channel')
    await person.sees('No channels yet')
  })

  it('show on a case who was told; people assign it and comment on it', async (given) => {
    const { muster, start, join, openCase, mail } = given
    const recipients = ['team@example.org']
    const channel = await muster.channels.create({ name: 'Team', kind: 'email', recipients })
    const started = await start(refundScript)
    const ada = await join('Ada Told', 'approver')
    await openCase(ada.page, started)
    const notes = ada.page.getByRole('region', { name: 'Notes' })
    await notes.getByText('Told 1 of 1').waitFor()
    await notes.getByLabel('Assigned to').selectOption('Ada Told (you)')
    await notes.getByLabel('Comment', { exact: true }).fill('I asked the customer.')
    await ada.press('Add comment')
    await notes.getByRole('list', { name: 'Comments' }).getByText('I asked the customer.').waitFor()
    await ada.findsItAccessible()
    const { pending } = await started.rests()
    assert.equal((await muster.pending.retrieve(pending?.id ?? '')).assignee?.name, 'Ada Told')
    assert.ok(mail.mails.some(({ to }) => to?.[0]?.address === 'team@example.org'))
    await ada.press('Approve')
    await ada.page.getByText('You approved this').waitFor()
    await notes.getByText('I asked the customer.').waitFor()
    await muster.channels.delete(channel.id)
  })

  it('lead a person on a phone from the email to the decision, which no script can make', async (given) => {
    const { app, sit, muster, start, addPerson, mail } = given
    const session = await addPerson('Bo Phone', 'approver')
    const headers = { cookie: `muster_session=${session}` }
    const me = (await app.call('GET', '/v1/me', { key: null, headers })).body.data
    const recipients = [me.email]
    const channel = await muster.channels.create({ name: 'Bo', kind: 'email', recipients })
    const started = await start(refundScript)
    const find = () => mail.mails.findLast(({ to }) => to?.[0]?.address === me.email)
    const linkOf = () => /http:\S+\/answer\/[\w-]+/.exec(find()?.text ?? '')?.[0]
    await until('an email', 15_000, () => linkOf() !== undefined)

    // A browser without a session or a key.
    const phone = await sit({ key: undefined, isPhone: true })
    const { page } = phone
    const posts: string[] = []
    page.on('request', (request) => request.method() === 'POST' && posts.push(request.url()))
    await page.goto(linkOf() ?? '')
    await page.getByText('asks to run crm.refund').waitFor()
    await page.getByText('C-17').first().waitFor()
    await phone.fitsWindow()
    await phone.findsItAccessible()
    // A mail scanner that runs scripts can click and submit like this.
    await page.evaluate(`
      for (const one of document.querySelectorAll('button')) {
        one.click()
        one.dispatchEvent(new MouseEvent('click', { bubbles: true }))
        one.dispatchEvent(new PointerEvent('pointerup', { bubbles: true }))
      }
      for (const form of document.forms) form.submit()`)
    assert.deepEqual(posts, [])
    assert.equal((await started.rests()).status, 'waiting_input')

    await page.getByLabel('Reason (optional)').fill('It is fair.')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Approved by Bo Phone. Reason: It is fair.').waitFor()
    const { run, call } = await started.result()
    assert.equal(run.status, 'completed')
    assert.equal(call?.decider?.name, 'Bo Phone')
    assert.equal(await page.getByRole('button').count(), 0)
    assert.equal(posts.length, 1)
    await muster.channels.delete(channel.id)
  })

  it('lead to several calls, which a person decides on the phone one by one and together', async (given) => {
    const { app, sit, muster, start, addPerson, mail } = given
    const session = await addPerson('Cy Phone', 'approver')
    const headers = { cookie: `muster_session=${session}` }
    const me = (await app.call('GET', '/v1/me', { key: null, headers })).body.data
    const recipients = [me.email]
    const channel = await muster.channels.create({ name: 'Cy', kind: 'email', recipients })
    const refunds = [1, 2, 3].map((amount) => JSON.stringify({ customer: `C-${amount}`, amount }))
    const started = await start(refunds.map((input) => `refund ${input}`).join('\n'))
    const linkOf = () => {
      const found = mail.mails.findLast(({ to }) => to?.[0]?.address === me.email)
      return /http:\S+\/answer\/[\w-]+/.exec(found?.text ?? '')?.[0]
    }
    await until('an email', 15_000, () => linkOf() !== undefined)
    const phone = await sit({ key: undefined, isPhone: true, colorScheme: 'dark' })
    const { page } = phone
    await page.goto(linkOf() ?? '')
    await page.getByRole('heading', { name: 'Approval needed: 3 actions of clerk' }).waitFor()
    const cards = page.locator('section')
    assert.equal(await cards.count(), 3)
    await phone.fitsWindow()
    await phone.findsItAccessible()
    await cards.nth(1).getByLabel('Reason (optional)').fill('Not this one.')
    await cards.nth(1).getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('button', { name: 'Approve all 2' }).waitFor()
    await page.getByRole('button', { name: 'Approve all 2' }).click()
    await page.getByText('2 approved, 1 rejected.').waitFor()
    await page.getByText('Rejected by Cy Phone. Reason: Not this one.').waitFor()
    const { run } = await started.result()
    const decisions = run.steps.at(-1)?.tool_calls.map(({ decision }) => decision)
    assert.deepEqual(decisions, ['approved', 'rejected', 'approved'])
    assert.equal(await page.getByRole('button').count(), 0)
    await muster.channels.delete(channel.id)
  })

  it('mailboxes are connected, read and paused', async (given) => {
    const { page, press, person, muster } = given
    await using imap = await startImapServer()
    const { id: workflowId } = await muster.workflows.create({ name: 'Triage of email' })
    await page.goto('/mailboxes')
    await press('New mailbox')
    await page.getByLabel('Name', { exact: true }).fill('Support')
    await page.getByLabel('IMAP server').fill('127.0.0.1')
    await page.getByLabel('Port').fill(String(imap.port))
    await page.getByLabel('Encryption').selectOption('none')
    await page.getByLabel('User name').fill('support@example.com')
    await page.getByLabel('Password').fill(imapPassword)
    await page.getByLabel('Workflow').selectOption(workflowId)
    await press('Create mailbox')
    const row = page.getByRole('region', { name: 'Support' })
    await row.getByText('Working').waitFor()
    await row.getByText('runs Triage of email').waitFor()
    const lines = ['From: ada@customer.example', 'Subject: Where is it?', 'Message-ID: <1@c>']
    imap.deliver(`${lines.join('\r\n')}\r\n\r\nHello\r\n`)
    await row.getByText('Messages').click()
    await until('the message', 20_000, async () => {
      // Set in every round: a poll that began before the message arrived sets the next poll to
      // later.
      await given.app.sql`update mailboxes set next_poll_at = now()`
      return row.getByText('Where is it?').isVisible()
    })
    await row.getByRole('link', { name: /^Run: / }).waitFor()
    await person.findsItAccessible()
    await row.getByRole('button', { name: 'Pause' }).click()
    await row.getByText('Paused').waitFor()
  })
})
