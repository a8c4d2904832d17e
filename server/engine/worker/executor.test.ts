import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import pino from 'pino'
import { onCitus } from '../../db/cluster/test-citus.ts'
import { until as waitUntil } from '../../../rig/until.ts'
import { earlier } from '../../../test/earlier.ts'
import { complete, echo, startTestApp, type StartedApp } from '../../../test/test-app.ts'
import { fixture } from '../../../test/fixture.ts'

let workers: StartedApp[] = []
const lines: string[] = []
const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })

/** An API server, and workers that come and go, over one database. */
const app = fixture(() => startTestApp({ role: 'api', log }))
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker[Symbol.asyncDispose]()))
  workers = []
})

async function startWorker(env: Record<string, string> = {}): Promise<StartedApp> {
  const worker = await app.startAnother('worker', env)
  workers.push(worker)
  return worker
}

/**
 * Stops a worker. Resolves when it starts no further step; `ended` resolves when it has stopped.
 */
async function drain(worker: StartedApp): Promise<{ ended: Promise<void> }> {
  const from = lines.length
  const ended = Promise.resolve(worker[Symbol.asyncDispose]())
  await until(async () => lines.slice(from).some((line) => line.includes('steps in progress')))
  return { ended }
}

const createWorkflow = () =>
  app.createWorkflow({
    crew: [
      { role: 'a', systemPrompt: 'a' },
      { role: 'b', systemPrompt: 'b' },
    ],
  })

const countJobs = async (): Promise<number> => (await app.sql`select from jobs`).length

const until = (condition: () => Promise<boolean>) => waitUntil('it is so', 30_000, condition)

/** Lets the model answer once the gate is resolved. */
function holdAnswers(): PromiseWithResolvers<void> {
  const gate = Promise.withResolvers<void>()
  app.answer = (request, response) => void gate.promise.then(() => echo(request, response))
  return gate
}

describe('the executor', () => {
  it('leaves no job behind', async () => {
    app.answer = echo
    await startWorker()
    const workflowId = await createWorkflow()
    const ids = await Promise.all(Array.from({ length: 30 }, () => app.trigger(workflowId)))
    const runs = await Promise.all(ids.map((id) => app.rest(id)))
    assert.ok(runs.every(({ status }) => status === 'completed'))
    await until(async () => (await countJobs()) === 0)
  })

  it('keeps to its slots, and an account to its share', async () => {
    const gate = holdAnswers()
    await startWorker({ MUSTER_RUN_CONCURRENCY: '8', MUSTER_ACCOUNT_CONCURRENCY: '3' })
    const workflowId = await createWorkflow()
    const ids = await Promise.all(Array.from({ length: 6 }, () => app.trigger(workflowId)))
    const inProgress = async () => {
      const { count } = await app.row<{ count: number }>`
        select count(*)::int as count from runs where status = 'running'`
      return count
    }
    await until(async () => (await inProgress()) === 3)
    // Time for two more rounds of the fetch loop, which would exceed the limit.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    assert.equal(await inProgress(), 3)
    gate.resolve()
    for (const id of ids) assert.equal((await app.rest(id)).status, 'completed')
  })

  it('writes nothing for a run that another worker took meanwhile', async () => {
    const gate = Promise.withResolvers<void>()
    app.answer = (_request, response) => void gate.promise.then(() => complete(response, 'zombie'))
    const zombie = await startWorker()
    const id = await app.trigger(await createWorkflow())
    await app.models.until(() => app.models.active > 0)
    await app.sql`update runs set attempt = attempt + 1 where id = ${id}`
    gate.resolve()
    await zombie[Symbol.asyncDispose]()
    assert.equal(await countJobs(), 1, 'the job is the other worker`s')
    const data = await app.get(`/v1/runs/${id}`)
    assert.equal(data.status, 'running')
    assert.equal(data.steps.length, 1)
    assert.equal(data.steps[0].output, null)
    await app.call('POST', `/v1/runs/${id}/cancel`)
  })

  it('counts what its model call used, though another worker took the run meanwhile', async () => {
    const first = Promise.withResolvers<void>()
    app.answer = (_request, response) =>
      void first.promise.then(() => complete(response, 'done', 1_000, 500))
    const zombie = await startWorker()
    const crew = [{ role: 'a', systemPrompt: 'a' }]
    const workflow = await app.post('/v1/workflows', { name: 'w', crew })
    const id = await app.trigger(workflow.id)
    await app.models.until(() => app.models.active > 0)
    await app.sql`update runs set attempt = attempt + 1 where id = ${id}`
    first.resolve()
    await zombie[Symbol.asyncDispose]()
    const { status, cost_usd, steps } = await app.get(`/v1/runs/${id}`)
    assert.deepEqual([status, cost_usd, steps[0].tokens_in], ['running', 0.002, 1_000])
    await app.sql`update jobs set worker = null, lease_until = null`
    await startWorker()
    const run = await app.rest(id)
    assert.deepEqual([run.status, run.cost_usd], ['completed', 0.004])
    const rows: { workflow: string; cost_usd: number }[] = await app.get(
      '/v1/usage?group_by=workflow',
    )
    assert.equal(rows.find((row) => row.workflow === workflow.id)?.cost_usd, 0.004)
  })

  it('goes on with a run that it carries when its job comes back', async () => {
    const gate = holdAnswers()
    await startWorker()
    const id = await app.trigger(await createWorkflow())
    await app.models.until(() => app.models.active > 0)
    const before = app.models.requests.length
    // Simulates a database that was unavailable for longer than a lease.
    await app.sql`update jobs set worker = null, lease_until = null`
    await until(async () => {
      const rows = await app.sql`select from jobs where worker is not null`
      return rows.length === 1
    })
    gate.resolve()
    assert.equal((await app.rest(id)).status, 'completed')
    assert.equal(app.models.requests.length - before, 1, 'the call of the second step')
    await until(async () => (await countJobs()) === 0)
  })

  it('gives the slots of cancelled runs to others', async () => {
    app.answer = () => {}
    await startWorker({ MUSTER_ACCOUNT_CONCURRENCY: '2' })
    const workflowId = await createWorkflow()
    const hanging = await Promise.all([app.trigger(workflowId), app.trigger(workflowId)])
    await app.models.until(() => app.models.active === 2)
    app.answer = echo
    const next = await app.trigger(workflowId)
    for (const id of hanging) await app.call('POST', `/v1/runs/${id}/cancel`)
    const statusOf = async () => (await app.get(`/v1/runs/${next}`)).status
    await until(async () => (await statusOf()) === 'completed')
  })

  /** A run that its worker released a day ago, between its steps. */
  async function leftADayAgo(): Promise<string> {
    const gate = holdAnswers()
    const worker = await startWorker()
    const id = await app.trigger(await createWorkflow())
    await app.models.until(() => app.models.active > 0)
    const { ended } = await drain(worker)
    gate.resolve()
    await ended
    await app.sql`
      with aged as (
        update runs set started_at = ${earlier('started_at', '1 day')},
                        counted_to = ${earlier('counted_to', '1 day')} where id = ${id}
      )
      update events set created_at = ${earlier('created_at', '1 day')} where run_id = ${id}`
    return id
  }

  /** Simulates a failed model call of the current step. */
  const failedOnce = (id: string) =>
    app.row`update steps set tries = 1 where run_id = ${id} and finished_at is null returning id`

  it('does not count the time in which nobody carried a run', async () => {
    const id = await leftADayAgo()
    await startWorker()
    assert.equal((await app.rest(id)).status, 'completed')
    const { waited_ms: waitedMs } = await app.row`select waited_ms from runs where id = ${id}`
    assert.ok(Math.abs(waitedMs - 24 * 3_600_000) < 60_000, 'once, for however many takes')
  })

  it('counts it where a model kept failing', async () => {
    const id = await leftADayAgo()
    await failedOnce(id)
    await startWorker()
    assert.equal((await app.rest(id)).error_code, 'budget_exceeded')
  })

  it('does not count it from when the failed call was to be made again', async () => {
    const id = await leftADayAgo()
    await failedOnce(id)
    await app.sql`update jobs set ready_at = ${earlier('ready_at', '1 day')}`
    await startWorker()
    const { status, error } = await app.rest(id)
    assert.deepEqual([status, error], ['completed', null])
  })

  it('has a job for a run that was put off, ready at its time and held by nobody', async () => {
    app.answer = (_request, response) => {
      response.writeHead(429, { 'retry-after': '60' }).end('{}')
    }
    await startWorker()
    const id = await app.trigger(await createWorkflow())
    const released = async () => {
      const rows = await app.sql<{ begun: boolean; seconds: number }>`
        select begun, extract(epoch from ready_at - now())::float8 as seconds from jobs
        where run_id = ${id} and worker is null and begun`
      return rows
    }
    await until(async () => (await released()).length === 1)
    const [job] = await released()
    assert.ok((job?.seconds ?? 0) > 40, 'not before the provider wants to be asked again')
    await app.call('POST', `/v1/runs/${id}/cancel`)
    assert.equal(await countJobs(), 0, 'a run that ended has no job')
  })

  it('fails a run whose worker died while it was alone on probation', async () => {
    app.answer = echo
    const id = await app.trigger(await createWorkflow())
    const rest = await app.trigger(await createWorkflow())
    await app.sql`
      update runs set takes_without_progress = 6, probation_size = 1 where id = ${id}`
    await app.sql`
      update runs set takes_without_progress = 50 where id = ${rest}`
    await startWorker()
    const run = await app.rest(id)
    assert.equal(run.status, 'failed')
    assert.equal(run.error_code, 'internal')
    assert.match(run.error, /crashed repeatedly, the last time while it was running alone/)
    assert.equal((await app.rest(rest)).status, 'completed')
  })

  const skip = onCitus('its tables take no triggers')

  it('executes the others of a batch where a crashing run cannot be failed', { skip }, async () => {
    app.answer = echo
    const stuck = await app.trigger(await createWorkflow())
    await app.sql`
      update runs set takes_without_progress = 6, probation_size = 1 where id = ${stuck}`
    await sql
      .raw(
        `create function refuse() returns trigger language plpgsql as $$ begin
           raise exception using errcode = '22000'; end $$;
         create trigger refuse before update on runs for each row
           when (new.id = '${stuck}' and new.status = 'failed') execute function refuse()`,
      )
      .execute(app.database)
    await startWorker()
    const isDue = async (due: boolean) => {
      const rows = await app.sql`
        select from jobs where run_id = ${stuck} and worker is null
          and (ready_at <= now()) = ${due}`
      return rows.length > 0
    }
    await until(() => isDue(false))
    // Holds both, so that they can be taken at once.
    await app.sql`
      insert into account_holds (account_id, reason, until)
      select account_id, 'cost', now() + interval '1 hour' from runs where id = ${stuck}`
    await until(() => isDue(true))
    const id = await app.trigger(await createWorkflow())
    const from = lines.length
    await app.sql`delete from account_holds`
    assert.equal((await app.rest(id)).status, 'completed')
    assert.ok(!lines.slice(from).some((line) => line.includes(id) && line.includes('failed')))
    await app.sql`drop trigger refuse on runs`
    await app.call('POST', `/v1/runs/${stuck}/cancel`)
  })

  it('goes on behind the finished steps of a dead worker, and repeats only the one in flight', async () => {
    const gate = Promise.withResolvers<void>()
    app.answer = (request, response) =>
      request.messages[0]?.content === 'b'
        ? void gate.promise.then(() => complete(response, 'late'))
        : echo(request, response)
    // The worker has no free slot, so the job goes to the other one.
    const first = await startWorker({ MUSTER_RUN_CONCURRENCY: '1' })
    const id = await app.trigger(await createWorkflow())
    await until(async () => (await app.get(`/v1/runs/${id}`)).total_steps === 1)
    await app.models.until(() => app.models.active > 0)
    const before = await app.get(`/v1/runs/${id}`)

    // Simulates a killed worker whose lease has expired.
    await app.sql`update jobs set worker = null, lease_until = null`
    app.answer = (_request, response) => complete(response, 'second')
    await startWorker()
    const run = await app.rest(id)
    assert.equal(run.status, 'completed')
    assert.equal(run.output, 'second')
    assert.equal(run.steps[0].id, before.steps[0].id)
    assert.equal(run.steps[1].id, before.steps[1].id)
    assert.equal(run.steps[1].started_at, before.steps[1].started_at)
    gate.resolve()
    await first[Symbol.asyncDispose]()
    const events = await app.call('GET', `/v1/runs/${id}/events`)
    const types = [...String(events.body).matchAll(/^event: (.*)$/gm)].map(([, type]) => type)
    assert.deepEqual(types, [
      'run.queued',
      'run.started',
      'step.started',
      'step.completed',
      'step.started',
      'step.completed',
      'run.completed',
    ])
  })

  it('drains: the step in flight ends, the rest of the run is handed over, nothing new is taken', async () => {
    const gate = holdAnswers()
    const worker = await startWorker()
    const workflowId = await createWorkflow()
    const id = await app.trigger(workflowId)
    await app.models.until(() => app.models.active > 0)
    const { ended } = await drain(worker)
    const later = await app.trigger(workflowId)
    gate.resolve()
    await ended
    const handedOver = await app.get(`/v1/runs/${id}`)
    assert.equal(handedOver.status, 'running')
    assert.equal(handedOver.total_steps, 1)
    assert.equal((await app.get(`/v1/runs/${later}`)).status, 'queued')
    await startWorker()
    for (const one of [id, later]) assert.equal((await app.rest(one)).status, 'completed')
  })
})
