import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { createPlainDatabase, createTestDatabase } from './test-database.ts'

void test('each database is its own and is gone after use, with open sessions too', async () => {
  const one = await createTestDatabase()
  await using other = await createTestDatabase()
  assert.notEqual(one.url, other.url)
  const client = new Client(one.url)
  client.on('error', () => {})
  await client.connect()
  await client.query('create table public.mine (id int)')
  await one[Symbol.asyncDispose]()
  const late = new Client(one.url)
  await assert.rejects(late.connect(), /does not exist/)
})

void test('without the global setup the error says how to run', async () => {
  const address = process.env['MUSTER_TEST_SERVER_URL']
  delete process.env['MUSTER_TEST_SERVER_URL']
  try {
    await assert.rejects(
      createPlainDatabase(),
      /--test-global-setup=\.\/server\/db\/test-database\.ts/,
    )
  } finally {
    process.env['MUSTER_TEST_SERVER_URL'] = address
  }
})
