import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { until } from '../../rig/until.ts'
import { setScene } from './scene.ts'
import { pluck } from '../../test/pluck.ts'

const { it } = setScene({
  prepare: async ({ muster }) => {
    const { id } = await muster.workflows.create({ name: 'Views', model: 'muster/demo' })
    for (const input of ['one', 'two', 'three']) {
      const run = await muster.runs.create(id, { input })
      await muster.runs.wait(run.id, { timeoutMs: 20_000 })
    }
  },
})

describe('the list of runs', () => {
  it('says how many runs each status has, with the other filters', async ({ page, muster }) => {
    const { completed } = await muster.runs.counts({})
    await page.goto('/runs')
    const states = page.getByRole('group', { name: 'State' })
    await states.getByRole('button', { name: `Completed ${completed.count}` }).waitFor()
    await states.getByRole('button', { name: 'Queued 0', exact: true }).waitFor()
    await states.getByRole('button', { name: `Completed ${completed.count}` }).press('Enter')
    await states.getByRole('button', { name: `All ${completed.count}`, exact: true }).waitFor()
    await until('the words of the runs are indexed', 15_000, async () => {
      return (await muster.runs.counts({ q: 'three' })).completed.count === 1
    })
    await page.getByRole('searchbox').fill('three')
    await page.keyboard.press('Enter')
    await states.getByRole('button', { name: 'Completed 1', exact: true }).waitFor()
  })

  it('saves its filters as a view for everyone, by the keyboard', async (given) => {
    const { page, person, sit, muster } = given
    await page.goto('/runs?state=completed&since=week')
    const views = page.getByRole('button', { name: 'Views' })
    await views.press('Enter')
    await page.getByRole('menuitem', { name: 'Save these filters…' }).waitFor()
    await person.findsItAccessible()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Save view' })
    await dialog.getByLabel('Name').and(page.locator(':focus')).waitFor()
    await person.findsItAccessible()
    await page.keyboard.type('Done this week')
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Done this week' }).waitFor()
    const [saved] = await muster.views.list()
    assert.deepEqual(saved?.filters, { status: ['completed'], created_within_seconds: 604_800 })

    const other = await sit({ role: 'viewer' })
    await other.page.goto('/runs')
    await other.page.getByRole('button', { name: 'Views' }).press('Enter')
    await other.page.getByRole('menuitem', { name: 'Done this week' }).waitFor()
    assert.equal(await other.page.getByRole('menuitem', { name: /Save|Delete/ }).count(), 0)
    await other.page.keyboard.press('Enter')
    await other.page.getByRole('button', { name: 'Done this week' }).waitFor()
    const params = new URL(other.page.url()).searchParams
    assert.deepEqual([params.get('state'), params.get('since')], ['completed', 'week'])
  })

  it('replaces and deletes a view, and disables one that only the API can show', async (given) => {
    const { page, muster, press } = given
    for (const view of await muster.views.list()) await muster.views.delete(view.id)
    await muster.views.create({ name: 'Mine', filters: { q: 'one' } })
    await muster.views.create({ name: 'Two', filters: { status: ['queued', 'running'] } })
    await page.goto('/runs?state=cancelled')
    await press('Views')
    await page.getByRole('menuitem', { name: 'Two' }).and(page.locator('[data-disabled]')).waitFor()
    await page.getByRole('menuitem', { name: 'Save these filters…' }).click()
    await page.getByLabel('Name').fill('Mine')
    await press('Replace')
    await press('Mine')
    await page.getByRole('menuitem', { name: /^Delete/ }).click()
    assert.deepEqual((await muster.views.list()).find(({ name }) => name === 'Mine')?.filters, {
      status: ['cancelled'],
    })
    await press('Delete it')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Views' }).waitFor()
    assert.deepEqual(pluck([...(await muster.views.list())], 'name'), ['Two'])
  })
})
