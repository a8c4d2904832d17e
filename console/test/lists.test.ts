import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { until } from '../../rig/until.ts'
import type { Person } from './person.ts'
import { setScene } from './scene.ts'

const { it } = setScene()

const dayMs = 86_400_000
/** A date as a date field shows it, in the time zone of this machine and its browser. */
const dayBefore = (days: number) =>
  new Intl.DateTimeFormat('sv-SE').format(new Date(Date.now() - days * dayMs))

async function saveCsv(person: Person): Promise<{ name: string; rows: string[] }> {
  const { name, text } = await person.download('These changes as CSV')
  return { name, rows: text.trimEnd().split('\r\n') }
}

describe('a long list', () => {
  it('is searched from the keyboard, in the address, and is as it was when one comes back', async (given) => {
    const { page, person, muster } = given
    const crew = [{ role: 'Clerk', systemPrompt: 'Write.' }]
    for (let number = 1; number <= 11; number++) {
      await muster.workflows.create({ name: `Letter ${number}`, crew })
    }
    await muster.workflows.create({ name: 'Rechnungen aus Zürich', crew })
    await page.goto('/workflows')
    const rows = page.getByRole('list', { name: 'Workflows', exact: true }).getByRole('listitem')
    const shows = async (count: number) =>
      until(`${count} rows`, 15_000, async () => (await rows.count()) === count)
    await shows(12)
    const field = page.getByRole('searchbox', { name: 'Find in Workflows' })
    await page.keyboard.press('/')
    await page.keyboard.type('clerk ZURICH')
    await shows(1)
    await page.getByRole('status').getByText('1 of 12').waitFor()
    await page.waitForURL((url) => url.searchParams.get('find') === 'clerk ZURICH')
    await person.findsItAccessible()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Rechnungen aus Zürich', level: 1 }).waitFor()
    await page.goBack()
    await shows(1)
    assert.equal(await field.inputValue(), 'clerk ZURICH')
    await field.fill(
      (await muster.workflows.list()).find(({ name }) => name === 'Letter 7')?.id ?? '',
    )
    await shows(1)
    await page.getByText('Letter 7', { exact: true }).waitFor()
    await field.fill('nobody')
    await page.getByText('No matches').waitFor()
    await page.getByRole('navigation', { name: 'Screens' }).getByText('Workflows').click()
    await shows(12)
    assert.equal(await field.inputValue(), '')
  })

  it('is read on to be searched, and says where that ended', async ({
    page,
    person,
    muster,
    app,
  }) => {
    const { id: accountId } = await muster.account.retrieve()
    await sql`
      with of_numbers as (
        select 'fc_' || lpad(number::text, 26, '0') as content_id, number
        from generate_series(1, 1150) as number
      ), contents as (
        insert into file_contents (account_id, id, store, state, due_at)
        select ${accountId}, content_id, 'database', 'kept', null from of_numbers
      )
      insert into files (account_id, id, content_id, name, media_type, bytes, sha256, created_at)
      select ${accountId}, 'file_' || lpad(number::text, 26, '0'), content_id,
             'note-' || number || '.txt', 'text/plain', 1, 'x', now() - number * interval '1 second'
      from of_numbers`.execute(app.database)
    await page.goto('/files')
    const field = page.getByRole('searchbox', { name: 'Find in Files' })
    await field.fill('note-950')
    await page.getByText('note-950.txt').waitFor()
    await page.getByText('1 of the first 1,000; those after them are not searched').waitFor()
    await field.fill('note-1050')
    await page.getByText('No matches').waitFor()
    await person.press('Search more')
    await page.getByText('note-1050.txt').waitFor()
    await page.getByText('1 of the first 1,100').waitFor()
  })
})

describe('invitations', () => {
  it('are shown page by page, behind those that were accepted, and are searched on their own', async (given) => {
    const { page, person, muster, app } = given
    const { id: accountId } = await muster.account.retrieve()
    await sql`
      insert into invitations (account_id, id, email, role, token_hash, created_at, expires_at, accepted_at)
      select ${accountId}, 'inv_' || lpad(number::text, 26, '0'), 'guest-' || number || '@example.com',
             'viewer', sha256(number::text::bytea), now() - number * interval '1 second',
             now() + interval '1 day', case when number <= 120 then now() end
      from generate_series(1, 240) as number`.execute(app.database)
    await page.goto('/people')
    const list = page.getByRole('list', { name: 'Invitations', exact: true })
    const rows = list.getByRole('listitem')
    const shows = async (count: number) =>
      until(`${count} rows`, 15_000, async () => (await rows.count()) === count)
    await shows(100)
    await list.getByText('guest-121@example.com').waitFor()
    await person.press('Show more')
    await shows(120)
    await page.getByRole('button', { name: 'Show more' }).waitFor({ state: 'detached' })

    await page.reload()
    await shows(100)
    const field = page.getByRole('searchbox', { name: 'Find in Invitations' })
    // Typing changes the rows and leaves the page where it was scrolled to.
    await page.evaluate('scrollTo(0, 60)')
    await field.pressSequentially('guest-1')
    await shows(79)
    assert.equal(await page.evaluate('scrollY'), 60)
    await field.fill('guest-239')
    await shows(1)
    await page.getByRole('status').getByText('1 of 120').waitFor()
    // The search of the invitations has a parameter of its own in the address.
    assert.equal(new URL(page.url()).search, '?invited=guest-239')
    await person.findsItAccessible()
    await page.reload()
    await shows(1)
    assert.equal(await field.inputValue(), 'guest-239')
    await person.press('Withdraw the invitation of guest-239@example.com')
    await person.press('Withdraw it')
    await page.getByText('No matches').waitFor()
    await field.fill('')
    await shows(119)
  })
})

describe('the audit', () => {
  it('says in words who changed what, and leads to it', async ({ page, muster }) => {
    const { id } = await muster.workflows.create({ name: 'Seen in the audit' })
    await page.goto(`/audit?object_id=${id}`)
    await page.getByText('created workflow Seen in the audit').click()
    await page.getByRole('link', { name: 'Open workflow' }).click()
    await page.getByRole('heading', { name: 'Seen in the audit', level: 1 }).waitFor()
  })

  it('shows changes or activity, and is filtered by key and action', async (given) => {
    const { page, person, muster } = given
    const workflow = await muster.workflows.create({ name: 'Apart from its runs' })
    await muster.runs.create(workflow.id, { input: 'go' })
    await page.goto('/audit')
    const started = page.getByText('started run of Apart from its runs')
    const created = page.getByText('created workflow Apart from its runs')
    await created.waitFor()
    assert.equal(await started.count(), 0)
    await page.getByRole('button', { name: 'Activity' }).click()
    await started.waitFor()
    assert.equal(await created.count(), 0)
    await person.findsItAccessible()
    await page.getByLabel('Action').selectOption({ label: 'Workflow created' })
    await created.waitFor()
    assert.equal(await started.count(), 0)
    const { key } = await muster.account.retrieve()
    await page.getByLabel('Person or key').selectOption(key.id)
    await page.waitForURL((url) => url.searchParams.get('actor_id') === key.id)
    await created.waitFor()
    const { rows } = await saveCsv(person)
    assert.ok(rows.slice(1).every((row) => row.includes('workflow.created')))
  })

  it('is filtered by day, in the address, and saved as CSV', async (given) => {
    const { page, person, muster, app } = given
    const { id: accountId } = await muster.account.retrieve()
    for (const [name, days] of [
      ['Of long ago', 30],
      ['Of three days ago', 3],
      ['Of today', 0],
    ] as const) {
      const { id } = await muster.workflows.create({ name })
      await sql`
        update audit set created_at = created_at - ${days} * interval '1 day'
        where account_id = ${accountId} and object_id = ${id}`.execute(app.database)
    }
    await page.goto('/audit?action=workflow.created')
    const names = page.getByRole('list', { name: 'Changes' }).locator('summary').getByText(/^Of /)
    const shows = async (...expected: string[]) => {
      const isShown = async () => isDeepStrictEqual(await names.allTextContents(), expected)
      await until(`the audit has ${expected.join(', ')}`, 15_000, isShown)
    }
    await shows('Of today', 'Of three days ago', 'Of long ago')
    // Typed as a date field takes it: month, day, year.
    const [year, month, day] = dayBefore(4).split('-')
    await page.getByLabel('From', { exact: true }).focus()
    await page.keyboard.type(`${month}${day}${year}`)
    await shows('Of today', 'Of three days ago')
    await page.getByLabel('To', { exact: true }).fill(dayBefore(3))
    await shows('Of three days ago')
    const { searchParams } = new URL(page.url())
    assert.deepEqual([searchParams.get('from'), searchParams.get('to')], [4, 3].map(dayBefore))
    await person.findsItAccessible()
    const { name, rows } = await saveCsv(person)
    assert.equal(name, `audit-from-${dayBefore(4)}-to-${dayBefore(3)}.csv`)
    assert.match(rows[0] ?? '', /^id,created_at,actor_type,/)
    assert.equal(rows.length, 2)
    assert.match(rows[1] ?? '', /Of three days ago/)

    await page.reload()
    await shows('Of three days ago')
    await page.getByLabel('From', { exact: true }).fill('')
    await shows('Of three days ago', 'Of long ago')
    await page.locator('summary', { hasText: 'Of long ago' }).click()
    await page.getByRole('link', { name: 'Everything about this object' }).click()
    await page.waitForURL((url) => url.searchParams.has('object_id'))
    assert.equal(new URL(page.url()).searchParams.get('to'), dayBefore(3))
    await shows('Of long ago')
  })

  it('says that a CSV has not all of very many changes', async ({ page, person, muster, app }) => {
    const { id: accountId } = await muster.account.retrieve()
    await sql`
      insert into audit (account_id, id, actor_type, actor_name, action, object_type, object_id)
      select ${accountId}, 'aud_' || lpad(number::text, 26, '0'), 'system', 'system',
             'policies.updated', 'policies', 'many'
      from generate_series(1, 10001) as number`.execute(app.database)
    await page.goto('/audit?object_id=many')
    await page.getByText('changed the policies').first().waitFor()
    const { rows } = await saveCsv(person)
    assert.equal(rows.length, 1 + 10_000)
    await page.getByText('The file has the newest 10,000 changes.').waitFor()
  })
})
