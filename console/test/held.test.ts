import { describe } from 'node:test'
import { sql } from 'kysely'
import { send } from '../../rig/scripted-server.ts'
import { until } from '../../rig/until.ts'
import { echo } from '../../test/test-app.ts'
import { setScene } from './scene.ts'

const { it } = setScene({ isNew: true, env: { MUSTER_ACCOUNT_CONCURRENCY: '1' } })

const crew = [{ role: 'writer', systemPrompt: 'Write.' }]

describe('a run that is held says why', () => {
  it('when other runs of its account come first', { width: 390 }, async (given) => {
    const { page, person, muster, scripts, app } = given
    const open: (() => void)[] = []
    scripts.set('Write.', (request, response) => void open.push(() => echo(request, response)))
    const { id } = await muster.workflows.create({ name: 'Crowded', crew })
    const first = await muster.runs.create(id, { input: 'First.' })
    await until('the first run calls its model', 15_000, () => open.length > 0)
    const second = await muster.runs.create(id, { input: 'Second.' })
    // Makes the job look as if it had waited for 3 seconds.
    await sql`update jobs set ready_at = ready_at - interval '3 s'
              where run_id = ${second.id}`.execute(app.database)
    await page.goto(`/runs/${second.id}`)
    const held = page.getByRole('region', { name: 'Held' })
    await held.getByText('Other runs of this account come first').waitFor()
    await held.getByText(/limit of concurrent runs \(1\)/).waitFor()
    await page.getByText('The run waits for a worker.').waitFor()
    await person.findsItAccessible()
    await person.fitsWindow()
    scripts.set('Write.', echo)
    for (const answer of open) answer()
    await muster.runs.wait(first.id)
    await page.getByText('Completed', { exact: true }).waitFor()
  })

  it('when the provider of its model is away, and goes on when it is back', async (given) => {
    const { page, person, muster, scripts } = given
    scripts.set('Write.', (_request, response) =>
      send(response, { error: { message: 'overloaded' } }, 503, { 'retry-after': '5' }),
    )
    const { id } = await muster.workflows.create({ name: 'Away', crew })
    const run = await muster.runs.create(id, { input: 'Line 4.' })
    await page.goto(`/runs/${run.id}`)
    const held = page.getByRole('region', { name: 'Held' })
    await held.getByText('The model’s provider did not answer').waitFor()
    await held.getByText(/^Next try: /).waitFor()
    await person.findsItAccessible()
    await page.getByText('Running', { exact: true }).waitFor()
    scripts.set('Write.', echo)
    await page.getByText('Completed', { exact: true }).waitFor({ timeout: 40_000 })
    await held.waitFor({ state: 'detached' })
  })
})
