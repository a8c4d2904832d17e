import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { makeAccounts } from '../rig/accounts.ts'
import { createWorkflow, triggerRun } from '../rig/api.ts'
import { connectTo } from '../rig/bench-database.ts'
import { waitForCompleted } from '../rig/completed.ts'
import { startModelProcess } from '../rig/model-process.ts'
import { startMuster } from '../rig/muster-process.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { until } from '../rig/until.ts'
import * as citus from '../server/db/cluster/test-citus.ts'
import { openCitusGround, restartVariable } from './chaos/citus-ground.ts'

const restart = process.env[restartVariable]
const skip =
  citus.noCitus || (restart === undefined && `a node is not killed: ${restartVariable} is not set`)
const accountCount = 10

describe('a node that is lost', { skip, timeout: 300_000 }, () => {
  for (const [loss, awayMs] of Object.entries({ lose: 15_000, hang: 25_000 })) {
    it(`holds up its own accounts alone, also where a process was pointed at it: ${loss}`, (test) =>
      loseNode(test, loss as 'lose' | 'hang', awayMs))
  }
})

async function loseNode(test: TestContext, loss: 'lose' | 'hang', awayMs: number): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const log = (line: string) => test.diagnostic(line)
  const address = process.env[citus.citusVariable] ?? ''
  const ground = stack.use(await openCitusGround(address, restart ?? '', log))
  const [lost, kept] = ground.nodes
  assert.ok(lost !== undefined && kept !== undefined, 'expected a cluster of two nodes')
  const folder = stack.use(await makeScratchFolder())
  const model = stack.use(await startModelProcess(50))
  const start = async (role: 'api' | 'worker', url: string) => {
    const env = {
      DATABASE_URL: url,
      MUSTER_MODELS_FILE: await model.writeModelsFile(folder.path),
    }
    return stack.use(await startMuster({ role, folder: folder.path, env }))
  }
  const onIt = await start('api', lost.url)
  const onOther = await start('api', kept.url)
  await start('worker', lost.url)
  const database = stack.use(await connectTo(ground.url))
  const own: Work[] = []
  const elsewhere: Work[] = []
  for (const { id: accountId, adminKey: key } of await makeAccounts(ground.url, accountCount)) {
    const isLost = await lost.holds(accountId)
    const work = { key, workflowId: await createWorkflow(onIt.url, 'bench', key) }
    ;(isLost ? own : elsewhere).push(work)
  }
  assert.ok(own.length > 0 && elsewhere.length > 0, 'accounts lie on one node')
  const triggerAll = (url: string, works: Work[]) =>
    Promise.all(works.map(({ key, workflowId }) => triggerRun(url, workflowId, 'go', key)))
  await triggerAll(onIt.url, [...own, ...elsewhere])
  await waitForCompleted(database, accountCount, 60_000)

  const back = lost[loss](awayMs)
  await until('its accounts are refused', awayMs, () =>
    triggerAll(onIt.url, own.slice(0, 1)).then(
      () => false,
      (error: Error) => error.message.includes('503') && /database_unavailable/.test(error.message),
    ),
  )
  for (const { url } of [onIt, onOther]) {
    const runs = await triggerAll(url, elsewhere)
    await Promise.all(
      runs.map((id, place) =>
        until(`${id} is completed`, 30_000, async () => {
          const headers = { authorization: `Bearer ${elsewhere[place]?.key}` }
          const answer = await fetch(`${url}/v1/runs/${id}`, { headers })
          const { data } = (await answer.json()) as { data: { status: string } }
          return data.status === 'completed'
        }),
      ),
    )
  }
  assert.equal(await isBack(back), false, 'all of it was done while the node was away')
  await back
  await triggerAll(onOther.url, own)
  await until('all runs have ended well', 60_000, async () => {
    const rows = await database.query<{ open: number }>(
      `select count(*)::int as open from runs where status <> 'completed'`,
    )
    return rows[0]?.open === 0
  })
}

interface Work {
  key: string
  workflowId: string
}

const isBack = (back: Promise<unknown>): Promise<boolean> =>
  Promise.race([back.then(() => true), Promise.resolve(false)])
