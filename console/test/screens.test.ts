import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { createAccount } from '../../server/accounts/create-account.ts'
import { furnish, type Places } from './furnish.ts'
import { setScene } from './scene.ts'

let places: Places
const { it } = setScene({
  prepare: async (world) => {
    places = await furnish(world)
  },
})

/** Names of controls that only admins see, since the API refuses their requests to others. */
const administers = '(Dis)?[Cc]onnect|Test|Change|Invite|Remove [A-Z]\\w+|Withdraw|Revoke|New key'
const writes =
  'New|Create|Duplicate|Save|Select|Delete|Pause|Activate|Cancel|Retry|Run a|Send(?! an email)|Add|Move|Remove|Pin|Unpin|Edit the|Forget|Turn|Run now|Publish|Go back|Fork|Start fork|Upload|Preview'
const beyond = {
  viewer: new RegExp(`^(${administers}|${writes}|Approve|Edit|Reject|Answer)\\b`),
  approver: new RegExp(`^(${administers}|${writes})\\b`),
  member: new RegExp(`^(${administers.replace('Change|', '')})\\b`),
}

const narrow = { width: 360, height: 700 }
const wide = { width: 1280, height: 860 }
const phone = { ...narrow, isPhone: true }

describe('every screen', () => {
  it('is accessible, light and dark, fits 360 px, loads nothing from elsewhere and shows no fault', async (given) => {
    const { page, person } = given
    const isAccessible = async () => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        await person.findsItAccessible()
      }
    }
    const more = [
      '/workflows/new',
      '/templates',
      '/agents/new',
      '/profile',
      '/authorize',
      '/inbox',
      '/nothing',
      '/help',
      '/help/tasks/report-to-slack',
    ]
    for (const path of [...Object.values(places), ...more]) {
      await page.goto(path)
      await page.getByRole('navigation', { name: 'Screens' }).waitFor()
      await person.seesAll()
      await isAccessible()
      await page.setViewportSize(narrow)
      await person.fitsWindow()
      await page.setViewportSize(wide)
    }
    for (const key of ['ControlOrMeta+k', '?']) {
      await page.keyboard.press(key)
      await page.getByRole('dialog').waitFor()
      await isAccessible()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
  })

  for (const role of ['viewer', 'approver', 'member'] as const) {
    it(
      `offers nothing that the API would refuse: ${role}`,
      { role },
      async ({ page, person, muster }) => {
        const refused: string[] = []
        page.on('response', (response) => {
          if (response.status() === 403) refused.push(response.url())
        })
        const offered = new Set<string>()
        const open = await muster.runs.list_all({ status: 'waiting_input' })
        const more = ['/workflows/new', '/agents/new', `/runs/${open.at(0)?.id}`]
        for (const path of [...Object.values(places), ...more]) {
          await page.goto(path)
          await page.getByRole('heading').first().waitFor()
          await person.seesAll()
          const controls = page.locator('main :is(a, :is(button, input, textarea, select):enabled)')
          const labels = await controls.evaluateAll((found) =>
            found.map((one) => one.getAttribute('aria-label')),
          )
          const texts = await controls.allInnerTexts()
          for (const [index, text] of texts.entries()) {
            offered.add(labels[index] ?? text.split('\n')[0]?.trim() ?? '')
          }
        }
        assert.deepEqual(refused, [])
        const wrong = [...offered].filter((name) => beyond[role].test(name))
        assert.deepEqual(wrong, [])
        assert.equal(offered.has('Approve'), role !== 'viewer')
        assert.equal(offered.has('Retry'), role === 'member')
        for (const name of ['API keys', 'Audit']) {
          assert.equal(await page.getByRole('link', { name }).count(), 0)
        }
        await page.goto('/api-keys')
        await page.getByText('For admins').waitFor()
      },
    )
  }

  it('fits a phone with names that have no place to break', phone, async (given) => {
    const { page, person, muster, start } = given
    const long = (length: number) => 'ä'.repeat(length)
    const agent = await muster.agents.create({
      name: long(80),
      role: long(60),
      systemPrompt: 'Write.',
      category: long(40),
    })
    const crew = [
      { role: long(60), systemPrompt: 'Plan.' },
      { role: long(60), systemPrompt: 'Write.', agentId: agent.id },
    ]
    const { id } = await muster.workflows.create({
      name: long(120),
      model: 'muster/demo',
      description: long(500),
      crew,
    })
    await muster.workflows.memory.create(id, { role: long(60), content: long(300) })
    const tags = { [`k${'a'.repeat(39)}`]: long(100) }
    const run = await muster.runs.create(id, { input: long(300), tags })
    await muster.runs.wait(run.id, { timeoutMs: 20_000 })
    const asks = await start('ask {"question": "Which one?"}', {
      name: 'Quarterly reconciliation of supplier invoices for the northern region',
      instructions: 'Ask.',
    })
    const { pending } = await muster.runs.retrieve(asks.runId)
    const paths = [
      '/',
      '/runs',
      `/runs/${run.id}`,
      '/workflows',
      `/workflows/${id}`,
      '/agents',
      `/agents/${agent.id}`,
      '/usage?tag=customer',
      `/inbox/${pending?.id}`,
    ]
    for (const path of paths) {
      await page.goto(path)
      await page.getByRole('navigation', { name: 'Screens' }).waitFor()
      await person.seesAll()
      await person.fitsWindow()
    }
  })

  it("says that another account's address is not found", async ({ app, sit }) => {
    const { adminKey } = await createAccount(app.database, 'another')
    const { page } = await sit({ key: adminKey })
    const withIds = Object.values(places).filter((path) => /\/[a-z]+_\w{26}/.test(path))
    assert.ok(withIds.length >= 5, String(withIds))
    for (const path of withIds) {
      await page.goto(path)
      await page.getByText(/Page not found|never was in this account/).waitFor()
    }
    await page.goto('/dev/ui')
    await page.getByText('Page not found').waitFor()
  })
})
