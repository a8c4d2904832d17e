import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { until } from '../../rig/until.ts'
import { sql } from 'kysely'
import { codeOf } from '../../test/api-client.ts'
import { startTestApp } from '../../test/test-app.ts'
import { fillScope } from './test-scope.ts'
import { prepare, fixture } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'

let accountId: string

// With fewer connections, the third search of an account would wait for a slot of large answers.
const env = { MUSTER_DATABASE_READ_CONNECTIONS: '5' }
const app = fixture(() => startTestApp({ role: 'api', env }))
prepare(async () => {
  accountId = app.accountId
})

interface Owner {
  id: string
  path: string
  /** Further fields of a POST: the crew role, where the entries are a workflow's. */
  role: { role?: string }
}

const makers: Record<string, () => Promise<Owner>> = {
  'an agent': async () => {
    const body = { name: 'a', role: 'r', systemPrompt: 's' }
    const { id } = await app.post('/v1/agents', body)
    return { id, path: `/v1/agents/${id}/memory`, role: {} }
  },
  'a role of a workflow': async () => {
    const { id } = await app.post('/v1/workflows', { name: 'w' })
    return { id, path: `/v1/workflows/${id}/memory`, role: { role: 'planner' } }
  },
}

for (const [name, makeOwner] of Object.entries(makers)) {
  describe(`memory of ${name}`, () => {
    let owner: Owner
    prepare(async () => {
      owner = await makeOwner()
    })

    const add = (body: object, to = owner) =>
      app.call('POST', to.path, { body: { ...to.role, ...body } })
    const ids = (data: { id: string }[]) => pluck(data, 'id')
    const fill = (to: Owner, options: { pinned: boolean; count?: number }) =>
      fillScope(
        app.database,
        accountId,
        to.role.role === undefined
          ? { kind: 'agent', agentId: to.id }
          : { kind: 'role', workflowId: to.id, role: to.role.role },
        options,
      )

    it('keeps an entry with all its fields, which can be read, changed and deleted', async () => {
      const { status, body } = await add({ content: 'Prices are net.' })
      assert.equal(status, 201)
      const { id, created_at, updated_at, ...rest } = body.data
      assert.match(id, /^mem_[0-9a-z]{26}$/)
      assert.equal(created_at, updated_at)
      const isAgent = owner.role.role === undefined
      assert.deepEqual(rest, {
        agent_id: isAgent ? owner.id : null,
        workflow_id: isAgent ? null : owner.id,
        role: owner.role.role ?? null,
        content: 'Prices are net.',
        pinned: false,
        source: 'user',
        run_id: null,
        last_used_at: null,
      })
      const path = `${owner.path}/${id}`
      assert.deepEqual(await app.get(path), body.data)

      const pinned = await app.call('PATCH', path, { body: { pinned: true } })
      assert.equal(pinned.status, 200)
      const expected = { ...body.data, pinned: true, updated_at: pinned.body.data.updated_at }
      assert.deepEqual(pinned.body.data, expected)
      const changed = await app.patch(path, { content: 'Prices are gross.' })
      assert.equal(changed.content, 'Prices are gross.')
      assert.equal(changed.pinned, true)
      const found = async (q: string) => await app.get(`${owner.path}?q=${q}`)
      assert.deepEqual(ids(await found('GROSS')), [id])
      assert.deepEqual(await found('net'), [])
      assert.equal((await app.call('PATCH', path, { body: {} })).status, 200)

      const deleted = await app.call('DELETE', path)
      assert.deepEqual([deleted.status, deleted.body], [200, { data: { id, deleted: true } }])
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? { pinned: true } : undefined
        const gone = await app.call(method, path, { body })
        assert.equal(gone.status, 404)
        assert.match(gone.body.error.message, /^Cannot \w+ memory entry: no memory entry mem_/)
      }
    })

    it('counts what is visible: 1 to 2,000 characters', async () => {
      const longest = await add({ content: '🙂'.repeat(2_000) })
      assert.equal(longest.status, 201)
      const hidden = '\u200b\u{e0041}\u202e\u0007'
      const { body, status } = await add({ content: `${hidden}${'a'.repeat(2_000)}${hidden}` })
      assert.equal(status, 201)
      assert.equal(body.data.content, 'a'.repeat(2_000))
      const path = `${owner.path}/${body.data.id}`
      for (const [content, message] of [
        ['a'.repeat(2_001), 'content has 2001 characters, at most 2000'],
        ['', 'content has 0 characters, at least 1'],
        [hidden, 'content has 0 characters, at least 1'],
        [' \n\t', 'content is " \\n\\t", expected visible text; invisible'],
      ] as const) {
        for (const [verb, answer] of [
          ['create', await add({ content })],
          ['update', await app.call('PATCH', path, { body: { content } })],
        ] as const) {
          assert.equal(answer.status, 400)
          const expected = `Cannot ${verb} memory entry: ${message}`
          assert.ok(answer.body.error.message.startsWith(expected), answer.body.error.message)
          assert.equal(answer.body.error.param, 'content')
        }
      }
    })

    it('gives back emoji and joined scripts as they came', async () => {
      const content =
        'note \u{1F468}\u200D\u{1F469}\u200D\u{1F467} \u2764\uFE0F \u0645\u06CC\u200C\u0631\u0648\u0645'
      const { body } = await add({ content })
      assert.equal(body.data.content, content)
    })

    it('is listed newest first, and searched in one page', async () => {
      const one = await makeOwner()
      const made: string[] = []
      for (const text of ['red apples', 'green pears', 'red pears', 'plums', 'figs']) {
        made.unshift((await add({ content: text }, one)).body.data.id)
      }
      assert.deepEqual(ids(await app.get(one.path)), made)
      const best = await app.call('GET', `${one.path}?q=red%20pears&limit=2`)
      assert.equal(best.body.data[0].content, 'red pears')
      assert.equal(best.body.data.length, 2)
      assert.equal(best.headers.get('link'), null)
      const both = await app.call('GET', `${one.path}?q=red&after=MTIz`)
      assert.equal(both.body.error.code, 'invalid_cursor')
    })

    it('takes any text as a search', async () => {
      for (const q of [
        `' or 1=1; --`,
        `a & | ! ( ) :* <-> "`,
        '\\',
        '%00',
        '\u200b',
        '((((',
        "d'accord l''été",
        'x'.repeat(1_000),
        '😀',
        '%',
      ]) {
        const answer = await app.call('GET', `${owner.path}?q=${encodeURIComponent(q)}`)
        assert.equal(answer.status, 200, q)
      }
    })

    it('holds 200 entries: then the oldest that is not pinned makes room', async () => {
      const one = await makeOwner()
      const first = (await add({ content: 'first', pinned: true }, one)).body.data.id
      const second = (await add({ content: 'second' }, one)).body.data.id
      const third = (await add({ content: 'third' }, one)).body.data.id
      await fill(one, { pinned: false, count: 197 })
      const count = async () => (await app.call('GET', `${one.path}?limit=100`)).headers.get('link')
      assert.notEqual(await count(), null)
      const all = async () => ids(await app.get(one.path))
      assert.equal((await all()).length, 200)
      const newest = (await add({ content: 'one more' }, one)).body.data.id
      const left = await all()
      assert.equal(left.length, 200)
      assert.deepEqual([left[0], left.at(-1), left.at(-2)], [newest, first, third])
      assert.ok(!left.includes(second))
      assert.equal((await app.call('GET', `${one.path}/${second}`)).status, 404)
    })

    it('refuses one more when all are pinned, until one is not', async () => {
      const one = await makeOwner()
      await fill(one, { pinned: true })
      const refused = await add({ content: 'one more' }, one)
      assert.deepEqual(codeOf(refused), [409, 'memory_full'])
      assert.match(
        refused.body.error.message,
        /the memory is full and all its entries are pinned, unpin or delete one/,
      )
      const [oldest] = (await app.get(one.path)).slice(-1)
      await app.call('PATCH', `${one.path}/${oldest.id}`, { body: { pinned: false } })
      assert.equal((await add({ content: 'one more' }, one)).status, 201)
      assert.equal((await app.call('GET', `${one.path}/${oldest.id}`)).status, 404)
    })

    it('never holds more than 200, however many write at once', async () => {
      const one = await makeOwner()
      await fill(one, { pinned: false, count: 195 })
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => add({ content: `at once ${n}` }, one)),
      )
      assert.ok(answers.every(({ status }) => status === 201))
      assert.equal((await app.get(one.path)).length, 200)

      const pinned = await makeOwner()
      await fill(pinned, { pinned: true, count: 198 })
      const raced = await Promise.all(
        Array.from({ length: 6 }, (_, n) => add({ content: `${n}`, pinned: true }, pinned)),
      )
      assert.equal(raced.filter(({ status }) => status === 201).length, 2)
      assert.equal(raced.filter(({ status }) => status === 409).length, 4)
    })

    it("is closed to another owner's path", async () => {
      const { id } = (await add({ content: 'ours alone' })).body.data
      const neighbour = await makeOwner()
      for (const method of ['GET', 'PATCH', 'DELETE']) {
        const body = method === 'PATCH' ? { content: 'theirs' } : undefined
        const { status } = await app.call(method, `${neighbour.path}/${id}`, { body })
        assert.equal(status, 404, method)
      }
      assert.equal((await app.get(`${owner.path}/${id}`)).content, 'ours alone')
    })

    it('goes when its owner goes', async () => {
      const one = await makeOwner()
      const { id } = (await add({ content: 'gone soon' }, one)).body.data
      assert.equal((await app.call('DELETE', one.path.replace('/memory', ''))).status, 200)
      assert.equal((await app.call('GET', one.path)).status, 404)
      const rows = await app.sql`select id from memory_entries where id = ${id}`
      assert.deepEqual(rows, [])
    })
  })
}

describe('memory of the roles of a workflow', () => {
  it('is bounded in all roles together, also in those that left the crew', async () => {
    const body = { name: 'w', crew: [{ role: 'now', systemPrompt: 's' }] }
    const { id } = await app.post('/v1/workflows', body)
    const path = `/v1/workflows/${id}/memory`
    const add = async (content: string) =>
      app.call('POST', path, { body: { role: 'now', content } })
    const scope = (role: string) => ({ kind: 'role', workflowId: id, role }) as const
    await fillScope(app.database, accountId, scope('left 0'), { pinned: false, count: 1 })
    const [oldest] = await app.get(path)
    for (let n = 1; n <= 10; n++) {
      const count = n === 10 ? 199 : 200
      await fillScope(app.database, accountId, scope(`left ${n}`), { pinned: true, count })
    }
    assert.equal((await add('first')).status, 201)
    assert.equal((await app.call('GET', `${path}/${oldest.id}`)).status, 404)
    assert.equal((await add('second')).status, 201)
    const now = await app.get(`${path}?role=now`)
    assert.deepEqual(
      pluck(now, 'content'),
      ['second'],
      'the first was the oldest that was not pinned',
    )
    await app.call('PATCH', `${path}/${now[0].id}`, { body: { pinned: true } })
    assert.equal((await add('third')).body.error.code, 'memory_full')
  })

  it('is apart by role, listed together or by role', async () => {
    const owner = await makers['a role of a workflow']?.()
    assert.ok(owner !== undefined)
    for (const role of ['planner', 'writer']) {
      const body = { role, content: `note of the ${role}` }
      assert.equal((await app.call('POST', owner.path, { body })).status, 201)
    }
    const roles = async (query: string) => pluck(await app.get(owner.path + query), 'role')
    assert.deepEqual(await roles(''), ['writer', 'planner'])
    assert.deepEqual(await roles('?role=writer'), ['writer'])
    assert.deepEqual(await roles('?q=note'), ['writer', 'planner'])
    assert.deepEqual(await roles('?q=note&role=planner'), ['planner'])
    assert.deepEqual(await roles('?role=nobody'), [])

    const unknown = await app.call('POST', owner.path, { body: { role: 'Planner', content: 'x' } })
    assert.equal(unknown.status, 400)
    assert.deepEqual(
      [unknown.body.error.code, unknown.body.error.param, unknown.body.error.message],
      [
        'unknown_role',
        'role',
        'Cannot create memory entry: role is "Planner", expected the crew\'s: planner, writer',
      ],
    )
  })
})

describe('searches', () => {
  it('that take too long are given up, and no account has more than two under way', async () => {
    const owner = await makers['an agent']?.()
    assert.ok(owner !== undefined)
    const search = () => app.call('GET', `${owner.path}?q=note`)
    const slow = await app.database.transaction().execute(async (transaction) => {
      await sql`lock table memory_entries in access exclusive mode`.execute(transaction)
      const two = [search(), search()]
      await until('two searches wait', 20_000, async () => {
        const { rows } = await sql`
          select 1 from pg_locks
          where relation = 'memory_entries'::regclass and not granted`.execute(transaction)
        return rows.length >= 2
      })
      const third = await search()
      assert.deepEqual(
        [third.status, third.body.error.code, third.body.error.message],
        [
          429,
          'rate_limited',
          'Cannot list memory: the account has 2 searches under way, at most 2',
        ],
      )
      return Promise.all(two)
    })
    for (const { status, body, headers } of slow) {
      assert.deepEqual([status, body.error.code], [503, 'too_busy'])
      assert.equal(body.error.message, 'Cannot list memory: the search took longer than 2 seconds')
      assert.equal(headers.get('retry-after'), '2')
    }
    assert.equal((await search()).status, 200)
  })
})
