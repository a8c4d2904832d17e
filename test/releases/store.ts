import { join } from 'node:path'
import { it } from 'node:test'
import { furnish } from '../../console/test/furnish.ts'
import { makeWorld, startService } from '../../console/test/world.ts'
import { version } from '../../server/version.ts'
import { startWebhookReceiver } from '../../rig/webhook-receiver.ts'
import { until } from '../../rig/until.ts'
import { storeDatabase } from './stored-database.ts'

/**
 * `npm run release:store`: stores an account with much history and much unfinished work as a file.
 */
void it(`stores a database of ${version}`, async () => {
  await using receiver = await startWebhookReceiver()
  await using service = await startService({ MUSTER_ACCOUNT_CONCURRENCY: '2' })
  const world = await makeWorld(service)
  const { muster, app, start } = world
  const { id, secret } = await muster.webhooks.create({
    url: receiver.url,
    events: ['run.completed'],
  })
  await furnish(world)
  const cancelled = await start('ask {"question": "Which one?"}', { name: 'Cancelled' })
  await cancelled.rests()
  await muster.runs.cancel(cancelled.runId)
  const [failed] = await muster.runs.list_all({ status: 'failed', error_code: 'agent_paused' })
  const retried = await muster.runs.retry(failed?.id ?? '')
  await muster.runs.wait(retried.id, { timeoutMs: 20_000 })

  // Two are running and two wait for their turn.
  for (const name of ['First', 'Second', 'Third', 'Fourth']) await start('hang', { name })
  await until('two runs are at work', 20_000, async () => {
    return (await muster.runs.list_all({ status: 'running' })).length === 2
  })
  const runs = []
  for await (const run of await muster.runs.list_all()) {
    runs.push(await muster.runs.retrieve(run.id))
  }
  const webhook = { id, secret }
  const file = join(import.meta.dirname, `${version}.json.gz`)
  await storeDatabase(app.databaseUrl, file, { version, key: app.key, webhook, runs })
})
