import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createDatabase, createPool } from '../db/client.ts'
import { createAuthenticator } from './authenticate.ts'
import { makeKey } from './credentials.ts'

it('refuses what cannot be a key without asking the database', async () => {
  // No server listens at this address, so a query would fail the test.
  await using database = createDatabase(createPool('postgres://x@127.0.0.1:9/x'))
  const authenticator = createAuthenticator(database)
  const key = makeKey()
  const guess = key.slice(0, -1) + (key.endsWith('a') ? 'b' : 'a')
  for (const wrong of [guess, 'x', `${key}x`.repeat(4), "' or 1=1 --"]) {
    await assert.rejects(
      authenticator.identify({ authorization: `Bearer ${wrong}`, session: undefined }),
      {
        code: 'invalid_api_key',
      },
    )
  }
  await assert.rejects(
    authenticator.identify({ authorization: `Bearer ${key}`, session: undefined }),
    {
      code: 'ECONNREFUSED',
    },
  )
})
