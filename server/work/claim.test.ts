import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import { databaseFixture } from '../../test/fixture.ts'
import { unusedContents } from '../files/store.ts'
import { dueJobs } from '../fine-tunes/tracking-store.ts'
import { dueAlerts } from '../sends/alerts/store.ts'
import { claimOf, type WorkItem, type WorkTable } from './table.ts'

/** Work outside of the database. `causes.test.ts` has what starts runs, `restored-backup.test.ts` what is sent. */
const database = databaseFixture(2)

it('an unreleased copy follows no fine-tune, checks no alert and removes no file contents', async () => {
  await sql`insert into accounts (id, name) values ('acc_1', 'a')`.execute(database)
  await sql`
    insert into fine_tunes (account_id, id, name, provider, provider_label, base_model, base_model_label, stage,
                            source, example_count, training_bytes, hyperparameters, next_sync_at)
    values ('acc_1', 'ft_1', 'f', 'p', 'P', 'm', 'M', 'created', 'upload', 10, 10, '{}', now())`.execute(
    database,
  )
  await sql`
    insert into alerts (account_id, id, name, "on", at_most_every_minutes)
    values ('acc_1', 'alr_1', 'a', 'run.failed', 1)`.execute(database)
  await sql`
    insert into file_contents (account_id, id, store, due_at)
    values ('acc_1', 'cnt_1', 'database', now() - interval '1 hour')`.execute(database)
  const count = async <Item extends WorkItem>(table: WorkTable<Item>) =>
    (await claimOf(table)(database, { count: 10, perAccount: 10, busy: [] }, '')).items.length
  const claimed = async () => [
    await count(dueJobs),
    await count(dueAlerts),
    await count(unusedContents),
  ]
  await sql`
    insert into epochs (number, reason, in_doubt, deliveries_held) values (1, 'restored', true, true)`.execute(
    database,
  )
  assert.deepEqual(await claimed(), [0, 0, 0])
  await sql`update epochs set deliveries_held = false`.execute(database)
  assert.deepEqual(await claimed(), [1, 1, 1])
})
