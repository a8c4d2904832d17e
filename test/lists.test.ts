import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { commandDefinitions } from '../cli/generated.ts'
import { json, muster } from '../cli/test-cli.ts'
import { startTrainer } from '../rig/trainer.ts'
import { newId } from '../server/ids.ts'
import { fixture, prepare } from './fixture.ts'
import { nextPage, type Answer } from './api-client.ts'
import { startTestApp } from './test-app.ts'
import { fillPath, itemPathOf, password, World, type Person } from './world.ts'

/**
 * Walks through all lists of the OpenAPI document: with pages of one item, a client that follows
 * `Link` sees every item once, also with filters.
 */
const trainer = fixture(() => startTrainer('openai'))
const app = fixture(() => {
  const env = { OPENAI_API_KEY: 'key', OPENAI_BASE_URL: trainer.url }
  return startTestApp({ role: 'api', env })
})

interface List {
  operationId: string
  path: string
  filters: { name: string; values: string[] }[]
}

let world: World
let lists: List[]
/** A signed-in user, whose sessions and grants are lists. */
let first: Person
prepare(async () => {
  world = new World(app, { text: 'listed' })
  first = await world.setUp()
  const [runId = ''] = await world.first('/v1/runs/{id}')
  await using _worker = await app.startAnother('worker')
  await app.rest(runId)
  const { body } = await app.call('GET', '/openapi.json', { key: null })
  lists = Object.entries(body.paths).flatMap(([path, methods]) => listsOf(path, methods as Methods))
})

interface Parameter {
  name: string
  in: string
  schema: { enum?: string[]; type?: string }
}
type Methods = Record<string, { operationId: string; parameters?: Parameter[] }>

function listsOf(path: string, { get }: Methods): List[] {
  const query = (get?.parameters ?? []).filter((one) => one.in === 'query')
  if (!query.some(({ name }) => name === 'limit')) return []
  const filters = query
    .filter(({ name }) => name !== 'limit' && name !== 'after')
    .map(({ name, schema }) => ({
      name,
      values: schema.type === 'boolean' ? ['true', 'false'] : (schema.enum ?? []),
    }))
  return [{ operationId: get?.operationId ?? '', path, filters }]
}

/** Lists whose items are not created by an operation on their own path. */
const addItem: Record<string, (ids: string[], number: number) => Promise<unknown>> = {
  '/v1/audit': () => world.createAgent(),
  '/v1/workflows/{id}/runs': () => world.createRun(),
  // The first run has finished (`prepare`); its answer is the last turn.
  '/v1/runs/{id}/steps/{order}/turns': async ([runId], number) => {
    const [{ turns }] = await app.sql`
      update steps set turns = turns + 1 where run_id = ${runId} and position = 0 returning turns`
    await app.sql`
      insert into step_turns (account_id, run_id, step_position, turn, message)
      values (${app.accountId}, ${runId}, 0, ${turns - 1},
              ${JSON.stringify({ role: 'assistant', content: [{ type: 'text', text: String(number) }] })})`
  },
  '/v1/threads/{id}/messages': async ([threadId], number) => app.sql`
    insert into thread_messages (account_id, id, thread_id, turn, role, text, run_id, status)
    select ${app.accountId}, new_id('msg'), ${threadId}, ${100 + number}, role, 'x', ${newId('run')}, 'answered'
    from unnest(array['user', 'assistant']) as role`,
  '/v1/threads/{id}/summaries': async ([threadId], number) => app.sql`
    insert into thread_summaries (account_id, id, thread_id, through_turn, text, tokens_before, tokens_after, model,
                                  cost_usd)
    values (${app.accountId}, ${newId('sum')}, ${threadId}, ${number}, 'x', 2, 1, 'm', 0)`,
  '/v1/batches/{id}/items': async ([batchId], number) => app.sql`
    insert into batch_items (account_id, batch_id, position, key, item, status, run_id)
    values (${app.accountId}, ${batchId}, ${100 + number}, ${String(number)}, '{}', 'failed',
            ${newId('run')})`,
  '/v1/notifications': async (_ids, number) => {
    const [channelId] = await world.first('/v1/channels/:id')
    return app.sql`
      insert into notifications (account_id, id, channel_id, kind, key, recipient, status)
      values (${app.accountId}, ${newId('ntf')}, ${channelId}, 'alert', ${String(number)}, 'x', 'sent')`
  },
  '/v1/mailboxes/{id}/messages': ([mailboxId], number) => app.sql`
    insert into mailbox_messages
      (account_id, id, mailbox_id, message_id, uid, sender, subject, status, run_id)
    values (${app.accountId}, ${newId('mbm')}, ${mailboxId}, ${String(number)}, ${number}, 'a@example.com',
            'x', 'started', ${newId('run')})`,
  '/v1/schedules/{id}/firings': (ids) => world.do('schedules.trigger', { ids }),
  '/v1/tool-workers': (_ids, number) => app.sql`
    insert into tool_workers (account_id, id, actor_id, actor_name)
    values (${app.accountId}, ${`worker ${number}`}, ${newId('key')}, 'x')`,
  '/v1/pending/{id}/comments': (ids) => world.do('pending.comment', { ids, body: { text: 'x' } }),
  // Not read from the provider again during the test.
  '/v1/fine-tunes/{id}/events': ([id], number) => app.sql`
    update fine_tunes set events_polled_at = now() + interval '1 hour', events = events || ${JSON.stringify(
      [{ at: '2026-11-01T00:00:00Z', level: 'info', message: String(number) }],
    )}::jsonb
    where id = ${id}`,
  '/v1/sessions': () =>
    world.do('session.create', { key: null, body: { email: 'first@example.com', password } }),
  '/v1/me/grants': () => world.createGrant(first.id),
  '/v1/usage': (_ids, number) => app.sql`
    insert into usage_days (account_id, dimension, value, day, completed, failed, cancelled, steps,
                            tokens_in, tokens_out, cost_usd)
    select ${app.accountId}, dimension, case dimension when 'day' then day::text else ${`v${number}`} end,
           day, 1, 0, 0, 1, 1, 1, 0
    from (select current_date - ${number}::int as day) as one,
         unnest(array['day', 'workflow', 'agent', 'model', 'thread']) as dimension`,
  '/v1/operator/log': () => world.do('operator.accounts.create', { body: { name: 'listed' } }),
}

/** Lists that have items by themselves. */
const hasItems = ['/v1/connectors', '/v1/models', '/v1/model-providers']

const call = (path: string): Promise<Answer> =>
  /^\/v1\/(sessions|me\/grants)/.test(path)
    ? app.call('GET', path, { key: null, headers: { cookie: first.cookie } })
    : app.call('GET', path)

/** The items of a list, read in pages of a size, and how many pages that took. */
async function readList(path: string, limit: number) {
  const items: Record<string, unknown>[] = []
  const url = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`
  let pages = 0
  for (let next: string | undefined = url; next !== undefined; pages++) {
    const answer = await call(next)
    assert.equal(answer.status, 200, `${next}: ${JSON.stringify(answer.body)}`)
    assert.ok(answer.body.data.length <= limit, next)
    items.push(...answer.body.data)
    next = nextPage(answer)
    assert.ok(pages < 500, `${url} does not end`)
  }
  return { items, pages }
}

/** What identifies an item; the rest may change between two requests. */
const keyOf = ({ id, position, ...item }: Record<string, unknown>): unknown =>
  id ?? position ?? JSON.stringify(item)

async function readTwice(path: string): Promise<Record<string, unknown>[]> {
  const { items } = await readList(path, 100)
  const { items: oneByOne, pages } = await readList(path, 1)
  assert.deepEqual(oneByOne.map(keyOf), items.map(keyOf), path)
  assert.equal(new Set(items.map(keyOf)).size, items.length, `${path} repeats items`)
  assert.equal(pages, Math.max(items.length, 1), `${path} has an empty page`)
  return items
}

async function pathWithIds(path: string): Promise<string> {
  const ids = path.includes('{') ? await world.first(path) : []
  return fillPath(path, [...ids, '0'])
}

describe('every list', () => {
  it('shows each of its items once in pages of one, with and without filters', async () => {
    assert.ok(lists.length > 30)
    for (const { path, filters } of lists) {
      const add = addItem[path] ?? (() => world.fresh(itemPathOf(path)))
      const ids = path.includes('{') ? await world.first(path) : []
      for (const number of [1, 2, 3]) if (!hasItems.includes(path)) await add(ids, number)
      const url = await pathWithIds(path)
      const items = await readTwice(url)
      assert.ok(items.length >= 3, `${path} has ${items.length} items`)
      for (const { name, values } of filters) {
        const own = items.map((item) => item[name]).find((value) => typeof value === 'string')
        for (const value of own === undefined ? values : [...values, own]) {
          await readTwice(`${url}?${name}=${encodeURIComponent(value)}`)
        }
      }
    }
  })

  it('has a command that shows its first items, as text and as JSON', async () => {
    const env = { MUSTER_URL: app.url, MUSTER_API_KEY: app.key }
    const commands = commandDefinitions.filter(({ isList }) => isList)
    assert.ok(commands.length > 25)
    for (const { id, command, params } of commands) {
      const { path = '' } = lists.find(({ operationId }) => operationId === id) ?? {}
      const ids = path.includes('{') ? await world.first(path) : []
      const named = params.flatMap(({ option }, at) => [
        ...(option === undefined ? [] : [`--${option}`]),
        ids[at] ?? '',
      ])
      const args = [...command.split(' '), ...named, '--limit', '2']
      const { code, stdout, stderr } = await muster([...args, '--json'], { env })
      assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
      assert.equal(json(stdout).length, 2, args.join(' '))
      assert.equal((await muster(args, { env })).code, 0, args.join(' '))
    }
  })

  it('rejects a cursor of another list, and one that no list made', async () => {
    for (const { path } of lists) {
      const url = await pathWithIds(path)
      for (const after of ['x', Buffer.from('AAAAAAAA 1').toString('base64url')]) {
        const { status, body } = await call(`${url}?after=${after}`)
        assert.equal(status, 400, `${path}: ${JSON.stringify(body)}`)
        assert.equal(body.error.code, 'invalid_cursor')
      }
    }
  })
})
