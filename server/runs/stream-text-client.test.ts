import assert from 'node:assert/strict'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { StoredEvent } from '../engine/reads/events.ts'
import { withText } from './stream-text.ts'

it('events that cannot be read while the client is slow fail its stream, and not the process', async () => {
  const streamed = { order: 0, turn: 0, attempt: 1, call: 1, text: 'Once' }
  async function* events(): AsyncGenerator<StoredEvent[]> {
    yield [{ type: 'step.started', sequence: 1, data: { order: 0 } } as unknown as StoredEvent]
    throw new Error('the database is away')
  }
  let said: typeof streamed | undefined
  const ctx = {
    accountId: 'acc_a',
    feed: { tokens: { follow: () => () => said } },
  } as unknown as Context
  const log = { events: events(), beganAt: 0 }
  const stream = withText(ctx, { id: 'run_a', after: 0 }, log, new AbortController().signal)
  await stream.next()
  said = streamed
  const { value } = await stream.next()
  assert.equal(value?.[0]?.type, 'step.delta')
  // While the client does not read on, an unhandled rejection would end the process.
  await turn()
  await assert.rejects(stream.next(), /the database is away/)
})
