import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createDatabase, createPool } from './client.ts'
import { Spread } from './spread.ts'
import { touch } from './touch.ts'

const nowhere = 'postgres://nobody@127.0.0.1:1/none'

it('what was used last holds nobody up for long on a cluster, once at a time', async () => {
  await using spread = new Spread(createDatabase(createPool(nowhere, 1)))
  const database = createDatabase(createPool(nowhere, 1), { spread })
  await using _ = { [Symbol.asyncDispose]: () => database.destroy() }
  const held = Promise.withResolvers<void>()
  let writes = 0
  const write = () => {
    writes++
    return held.promise
  }
  await touch(database, write)
  await touch(database, write)
  assert.equal(writes, 1)
  held.resolve()
  await setImmediate()
  await touch(database, () => Promise.resolve(writes++))
  assert.equal(writes, 2)
})

it('an outage is passed over, a mistake is not', async () => {
  const database = createDatabase(createPool(nowhere, 1))
  await using _ = { [Symbol.asyncDispose]: () => database.destroy() }
  const away = Object.assign(new Error('away'), { code: '08006' })
  await touch(database, () => Promise.reject(away))
  const mistake = new Error('mistake')
  await assert.rejects(
    touch(database, () => Promise.reject(mistake)),
    mistake,
  )
})
