import { imapPassword, startImapServer } from '../../rig/imap-server.ts'
import { newId } from '../ids.ts'
import type { TestApp } from '../../test/test-app.ts'

/**
 * The causes of runs, each as a small adapter for the suite that all of them have to pass
 * (`causes.test.ts`). The service of the tests only answers requests; each test starts its workers.
 */
export interface CauseAdapter {
  name: string
  /** How an input of 0 and of 20,000 characters ends; undefined if such an item cannot exist. */
  unbounded?: 'failed' | 'started'
  open: (app: TestApp, workflowId: string) => Promise<CauseStage>
}

interface CauseStage extends Partial<AsyncDisposable> {
  /** Adds an item for each input, in this order. */
  send(inputs: string[]): Promise<void>
  /** The items in their order, as the API shows them. */
  items(): Promise<Item[]>
  /** Lets waiting items be tried now, and leases of dead processes expire. */
  hurry(): Promise<void>
  /** The items as a process leaves them that dies after it started their runs. */
  unsettle(): Promise<void>
}

export interface Item {
  state: 'waiting' | 'started' | 'failed'
  why: string | null
  run_id: string | null
}

const stateOf = (status: string): Item['state'] =>
  status === 'started' || status === 'fired'
    ? 'started'
    : status === 'pending' || status === 'due' || status === 'queued'
      ? 'waiting'
      : 'failed'

const hook: CauseAdapter = {
  name: 'a hook',
  unbounded: 'failed',
  async open(app, workflow_id) {
    const fields = { workflow_id, scheme: 'none', input: '{{ body.text }}' }
    const { id, url } = await app.post('/v1/hooks', fields)
    return {
      async send(inputs) {
        for (const [number, text] of inputs.entries()) {
          const body = JSON.stringify({ number, text })
          const headers = { 'content-type': 'application/json' }
          const { status } = await fetch(url, { method: 'POST', headers, body })
          if (status !== 202) throw new Error(`The hook answered ${status}`)
        }
      },
      async items() {
        const found: DeliveryOrFiring[] = await app.get(`/v1/hooks/${id}/deliveries?limit=100`)
        return found.toReversed().map(toItem)
      },
      async hurry() {
        await app.sql`update hook_deliveries set next_try_at = now() where status = 'pending'`
      },
      async unsettle() {
        await app.sql`
          update hook_deliveries set status = 'pending', next_try_at = now(), settled_at = null
          where hook_id = ${id}`
      },
    }
  },
}

interface DeliveryOrFiring {
  status: string
  why: string | null
  run_id: string | null
}
const toItem = ({ status, why, run_id }: DeliveryOrFiring): Item => ({
  state: stateOf(status),
  why,
  run_id,
})

/** An input as a Liquid template, which may be shorter than the input. */
function templateOf(input: string): string {
  const [first = ''] = input
  const isLong = input.length > 1_000 && input === first.repeat(input.length)
  if (!isLong) return input
  // Few turns of the loop, because the time of a template is limited.
  return `{% for i in (1..${input.length / 100}) %}${first.repeat(100)}{% endfor %}`
}

const schedule: CauseAdapter = {
  name: 'a schedule',
  unbounded: 'failed',
  async open(app, workflow_id) {
    const id = newId('sch')
    const minuteMs = 60_000
    return {
      /** One firing for each of the minutes before now; the template tells them apart by time. */
      async send(inputs) {
        const last = Math.floor(Date.now() / minuteMs) * minuteMs
        const times = inputs.map((_, place) =>
          new Date(last - (inputs.length - 1 - place) * minuteMs).toISOString(),
        )
        const cases = inputs.map(
          (input, place) => `{% when "${times[place]}" %}${templateOf(input)}`,
        )
        const input = `{% case scheduled_at %}${cases.join('')}{% endcase %}`
        const fields = { cron: '* * * * *', workflow_id, input, overlap: 'allow' }
        const made = await app.post('/v1/schedules', { ...fields, key: id })
        await app.sql`
          update schedules set next_due_at = now() + interval '1 day', next_start_at = now() + interval '1 day'
          where id = ${made.id}`
        const span = { from: times[0], to: times.at(-1) }
        await app.post(`/v1/schedules/${made.id}/backfill`, span)
      },
      async items() {
        const [made] = await app.sql`select id from schedules where key = ${id}`
        const found = await app.get(`/v1/schedules/${made.id}/firings?limit=100`)
        return found.toReversed().map(toItem)
      },
      async hurry() {
        await app.sql`update schedule_firings set next_try_at = now() where status = 'due'`
      },
      async unsettle() {
        await app.sql`
          update schedule_firings set status = 'due', next_try_at = now(), settled_at = null
          where schedule_id = (select id from schedules where key = ${id})`
      },
    }
  },
}

const mailbox: CauseAdapter = {
  name: 'a mailbox',
  // A message without text starts a run, and a long one is cut.
  unbounded: 'started',
  async open(app, workflow_id) {
    const imap = await startImapServer()
    const { id } = await app.post('/v1/mailboxes', {
      name: 'Box',
      host: '127.0.0.1',
      port: imap.port,
      secure: 'none',
      username: 'box@example.com',
      password: imapPassword,
      workflow_id,
    })
    const subject = (place: number): string => `message ${place}`
    let sent = 0
    return {
      async send(inputs) {
        for (const [place, input] of inputs.entries()) {
          const head = `From: ada@customer.example\r\nMessage-ID: <${newId('req')}@x>\r\nSubject: ${subject(place)}`
          imap.deliver(`${head}\r\n\r\n${input}\r\n`)
        }
        sent = inputs.length
      },
      async items() {
        const found = await app.get(`/v1/mailboxes/${id}/messages?limit=100`)
        return Array.from({ length: sent }, (_, place) => {
          const one = found.find((other: { subject: string }) => other.subject === subject(place))
          return one === undefined ? { state: 'waiting', why: null, run_id: null } : toItem(one)
        })
      },
      async hurry() {
        await app.sql`update mailboxes set next_poll_at = now(), claimed_until = null where id = ${id}`
      },
      async unsettle() {
        await app.sql`update mailbox_messages set status = 'pending' where mailbox_id = ${id}`
        await app.sql`update mailboxes set last_uid = 0 where id = ${id}`
      },
      [Symbol.asyncDispose]: async () => {
        await app.delete(`/v1/mailboxes/${id}`)
        await imap[Symbol.asyncDispose]()
      },
    }
  },
}

const batch: CauseAdapter = {
  name: 'a batch',
  unbounded: 'failed',
  async open(app, workflowId) {
    let id = ''
    return {
      async send(inputs) {
        const items = inputs.map(() => ({ input: 'x' }))
        const path = `/v1/workflows/${workflowId}/batches`
        id = (await app.post(path, { items, concurrency: 20 })).id
        // The API refuses an input that a run cannot have.
        for (const [position, input] of inputs.entries()) {
          await app.sql`
            update batch_items set item = (item::jsonb || ${JSON.stringify({ input })}::jsonb)::json
            where batch_id = ${id} and position = ${position}`
        }
      },
      async items() {
        const { held } = await app.get(`/v1/batches/${id}`)
        const found = await app.get(`/v1/batches/${id}/items?limit=100`)
        return found.map(({ status, error, run_id }: Record<string, string | null>) => ({
          state: status === 'failed' || status === 'queued' ? stateOf(status) : 'started',
          why: error ?? held,
          run_id,
        }))
      },
      async hurry() {
        await app.sql`update batch_items set next_try_at = null where next_try_at is not null`
        await app.sql`update batches set due_at = now() where due_at is not null`
      },
      async unsettle() {
        await app.sql`update batch_items set status = 'queued' where batch_id = ${id}`
        await app.sql`
          update batches set status = 'running', due_at = now(), finished_at = null where id = ${id}`
      },
    }
  },
}

const bulkOperation: CauseAdapter = {
  name: 'a bulk operation',
  async open(app, workflowId) {
    let id = ''
    let originals: string[] = []
    return {
      async send(inputs) {
        originals = inputs.map(() => newId('run'))
        for (const [place, input] of inputs.entries()) {
          await app.sql`
            insert into runs (account_id, id, workflow_id, input, status, error, error_code, finished_at)
            values (${app.accountId}, ${originals[place]}, ${workflowId}, ${input}, 'failed', 'x', 'step_failed',
                    now())`
        }
        const filter = { run_ids: originals }
        id = (await app.post('/v1/runs/bulk', { action: 'retry', filter })).id
      },
      async items() {
        const { held, problems } = await app.get(`/v1/bulk-operations/${id}`)
        const retries = await app.sql<{ id: string; retry_of: string }>`
          select id, retry_of from runs where retry_of = any(${originals})`
        return originals.map((original) => {
          const retry = retries.find((one) => one.retry_of === original)
          if (retry !== undefined) return { state: 'started', why: null, run_id: retry.id }
          const found = problems.find((one: { run_id: string }) => one.run_id === original)
          return found === undefined
            ? { state: 'waiting', why: held, run_id: null }
            : { state: 'failed', why: found.why, run_id: null }
        })
      },
      async hurry() {
        await app.sql`
          update bulk_operations set due_at = now() where id = ${id} and due_at is not null`
      },
      async unsettle() {
        await app.sql`
          update bulk_operations
          set run_ids = ${originals}, done = 0, skipped = 0, due_at = now(), finished_at = null
          where id = ${id}`
      },
    }
  },
}

const thread: CauseAdapter = {
  name: 'a thread',
  unbounded: 'failed',
  async open(app, workflow_id) {
    const [{ status }] = await app.sql`select status from workflows where id = ${workflow_id}`
    await app.patch(`/v1/workflows/${workflow_id}`, { thread: {}, status: 'active' })
    const { id } = await app.post('/v1/threads', { workflow_id })
    return {
      async send(inputs) {
        for (const [place, input] of inputs.entries()) {
          await app.post(`/v1/threads/${id}/messages`, { input: 'x' })
          // The API refuses an input that a run cannot have.
          await app.sql`
            update thread_messages set text = ${input} where thread_id = ${id} and turn = ${place + 1}`
        }
        await app.patch(`/v1/workflows/${workflow_id}`, { status })
      },
      async items() {
        const found = await app.get(`/v1/threads/${id}/messages?limit=100`)
        const ofUsers = found.filter(({ role }: { role: string }) => role === 'user')
        return ofUsers.map(({ status: of, why, run_id }: DeliveryOrFiring) => ({
          state: of === 'refused' ? 'failed' : run_id === null ? 'waiting' : 'started',
          why,
          run_id,
        }))
      },
      async hurry() {
        await app.sql`
          update thread_messages set due_at = now(), claimed_until = null
          where thread_id = ${id} and due_at is not null`
      },
      async unsettle() {
        await app.sql`delete from thread_messages where thread_id = ${id} and role = 'assistant'`
        await app.sql`
          update thread_messages
          set status = 'queued', ended_at = null, due_at = null
          where thread_id = ${id}`
        await app.sql`update thread_messages set due_at = now() where thread_id = ${id} and turn = 1`
      },
    }
  },
}

export const causes: CauseAdapter[] = [hook, schedule, mailbox, batch, bulkOperation, thread]
