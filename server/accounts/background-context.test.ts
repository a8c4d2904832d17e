import assert from 'node:assert/strict'
import { it } from 'node:test'
import { sql } from 'kysely'
import type { Services } from '../context.ts'
import { newId } from '../ids.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { fixture } from '../../test/fixture.ts'
import { backgroundContext } from './background-context.ts'
import { createAccount } from './create-account.ts'

const testDatabase = fixture(() => createTestDatabase())

it('acts for an account in the name of its cause, and not for one that is suspended', async () => {
  await using database = testDatabase.open(1)
  const { id: accountId } = await createAccount(database, 'a')
  const services = { database, accountModels: { of: async () => ({}) } } as unknown as Services
  const reservedId = newId('run')
  const cause = { id: newId('wf'), name: 'Weekly report' }
  const work = { cause, action: 'trigger run', audit: 'run.triggered' as const, reservedId }
  const ctx = await backgroundContext(services, accountId, work)
  assert.deepEqual(ctx.actor, { type: 'system', ...cause })
  const again = await backgroundContext(services, accountId, work)
  assert.equal(again.audit.id, ctx.audit.id)
  await sql`update accounts set suspended_at = now()`.execute(database)
  await assert.rejects(backgroundContext(services, accountId, work), /suspended/)
})
