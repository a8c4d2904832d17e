import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { send } from '../../rig/scripted-server.ts'
import { startSlackServer } from '../../rig/slack-server.ts'
import { until } from '../../rig/until.ts'
import { ask } from '../../test/clerk.ts'
import { fixture } from '../../test/fixture.ts'
import { callTools, startTestApp, type ModelAnswer } from '../../test/test-app.ts'
import { createAccount } from '../accounts/create-account.ts'
import { failing, sends, type SendAdapter, type SendStage } from './test-sends.ts'

/**
 * The contract of every send: each message reaches its receiver once, whatever waits, fails or hangs beside it. No send
 * promises an order. A new send is one adapter in `test-sends.ts`.
 */
const slack = fixture(() => startSlackServer())
const intervals = { deliveriesMs: 20, channelsMs: 20, alertsMs: 20 }
const app = fixture(() => startTestApp({ intervals, env: { SLACK_BASE_URL: slack.url }, answer }))

/** Asks a person about the input, or fails. */
const answer: ModelAnswer = (request, response) => {
  const input = request.messages.at(-1)?.content.split('\n').at(-1) ?? ''
  if (input.startsWith(failing)) send(response, { error: { message: 'no' } }, 400)
  else callTools(response, [ask(`What about ${input}?`)])
}

for (const one of sends) describe(one.name, () => suite(one))

function suite({ open }: SendAdapter): void {
  /** A stage of an account of its own. */
  async function stageOf() {
    const { id: accountId, adminKey } = await createAccount(app.database, 'sends')
    const api = app.as(adminKey)
    const stage = await open({ app, api, accountId, slack })
    return { ...stage, accountId }
  }

  /** Waits until each item has arrived; none may have twice. */
  async function arrive(stage: SendStage, items: string[]): Promise<void> {
    const count = (item: string) => stage.arrived().filter((text) => text.includes(item)).length
    await until(`${items.join()} arrive`, 20_000, async () => {
      await stage.hurry()
      return items.every((item) => count(item) > 0)
    })
    for (const item of items) assert.equal(count(item), 1, item)
  }

  /** Time in which whatever is due would be sent: messages of another account arrive. */
  async function passTime(): Promise<void> {
    await using other = await stageOf()
    await other.send(['canary-one'])
    await arrive(other, ['canary-one'])
    await other.send(['canary-two'])
    await arrive(other, ['canary-two'])
  }

  it('is sent once, by two processes', async () => {
    await using stage = await stageOf()
    await using _ = await app.startAnother('worker')
    const items = ['item-a', 'item-b', 'item-c', 'item-d', 'item-e']
    await stage.send(items)
    await arrive(stage, items)
    await stage.send(['item-f'])
    await arrive(stage, [...items, 'item-f'])
  })

  /** Sends an item that the receiver refuses, several times. */
  async function refused(stage: SendStage, item: string, times: number): Promise<void> {
    stage.refuse(true)
    await stage.send([item])
    await until(`it was refused ${times} times`, 20_000, async () => {
      if ((await stage.failures()) >= times) return true
      await stage.hurry()
      return false
    })
  }

  it('is tried again until the receiver accepts it', async () => {
    await using stage = await stageOf()
    await refused(stage, 'item-a', 2)
    assert.deepEqual(stage.arrived(), [])
    stage.refuse(false)
    await arrive(stage, ['item-a'])
  })

  it('waits while its account is suspended', async () => {
    await using stage = await stageOf()
    await refused(stage, 'item-a', 1)
    const path = `/v1/operator/accounts/${stage.accountId}`
    await app.post(`${path}/suspend`, { reason: 'x' })
    try {
      // An attempt that was in progress is refused.
      await passTime()
      stage.refuse(false)
      await stage.hurry()
      await passTime()
      assert.deepEqual(stage.arrived(), [])
    } finally {
      await app.post(`${path}/resume`)
    }
    await arrive(stage, ['item-a'])
  })

  it('waits in an unreleased copy of the database', async () => {
    await using stage = await stageOf()
    await app.sql`
      insert into epochs (number, reason, system_identifier, timeline, home, deliveries_held)
      select number + 1, 'copied', system_identifier, timeline, home, true
      from epochs order by number desc limit 1`
    try {
      await stage.send(['item-a'])
      await stage.hurry()
      await stage.send(['item-b'])
      assert.deepEqual(stage.arrived(), [])
    } finally {
      await app.sql`update epochs set deliveries_held = false`
    }
    await arrive(stage, ['item-a', 'item-b'])
  })

  it('is sent of what happens while it is active', async () => {
    await using stage = await stageOf()
    await stage.setActive(false)
    await stage.send(['item-a'])
    await passTime()
    await stage.setActive(true)
    await stage.send(['item-b'])
    await arrive(stage, ['item-b'])
    assert.ok(stage.arrived().every((text) => !text.includes('item-a')))
  })

  it('reaches its receiver while one of another account answers nothing', async () => {
    await using slow = await stageOf()
    slow.hang()
    await slow.send(Array.from({ length: 12 }, (_, at) => `slow-${at}`))
    await slow.hurry()
    await passTime()
    assert.deepEqual(slow.arrived(), [])
  })
}
