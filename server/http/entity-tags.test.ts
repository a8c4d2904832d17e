import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { codeOf, type Answer } from '../../test/api-client.ts'
import { fixture } from '../../test/fixture.ts'
import { startTestApp } from '../../test/test-app.ts'
import { fillPath, World } from '../../test/world.ts'
import { resources } from '../start/routes.ts'
import { readTags, versionOf } from './entity-tags.ts'
import { methodOf, pathOf } from './operation.ts'

const app = fixture(() => startTestApp({ role: 'api' }))

const read = (url: string, headers: Record<string, string> = {}, method = 'GET') =>
  app.call(method, url, { headers })

const tagOf = async (url: string): Promise<string> => {
  const { status, headers } = await read(url)
  assert.equal(status, 200, url)
  return headers.get('etag') ?? ''
}

describe('a read with an ETag', () => {
  it('answers If-None-Match with 304, whichever operation it is', async () => {
    const world = new World(app)
    const tagged = resources()
      .flatMap(({ operations }) => operations)
      .filter((one) => one.etag !== undefined && methodOf(one) === 'GET')
    assert.deepEqual(
      tagged.map(({ id }) => id),
      ['workflows.retrieve', 'agents.retrieve', 'files.content'],
    )
    for (const one of tagged) {
      const url = fillPath(pathOf(one), await world.first(pathOf(one)))
      const etag = await tagOf(url)
      assert.match(etag, /^"[\w-]+"$/)
      for (const condition of [etag, `W/${etag}`, `"1", ${etag} ,"2"`, `"a,b",${etag}`, '*']) {
        const again = await read(url, { 'if-none-match': condition })
        assert.deepEqual([again.status, again.body], [304, ''], `${one.id} ${condition}`)
        assert.equal(again.headers.get('etag'), etag)
        assert.equal(again.headers.get('content-type'), null)
      }
      const long = await read(url, { 'if-none-match': `"${'x'.repeat(4_000)}"` })
      assert.deepEqual(codeOf(long), [400, 'string_too_long'])
      const head = await read(url, { 'if-none-match': etag }, 'HEAD')
      assert.deepEqual([head.status, head.headers.get('content-length')], [304, null])
      const value = etag.slice(1, -1)
      for (const condition of ['"1"', `"${value}x"`, `"x, ${value}"`, `"${value.slice(0, -1)}"`]) {
        const again = await read(url, { 'if-none-match': condition })
        assert.equal(again.status, 200, `${one.id} ${condition}`)
      }
      assert.equal((await read(url, { 'if-none-match': etag, range: 'bytes=0-0' })).status, 304)
    }
  })

  it('hides no change, with or without a new version', async () => {
    const agent = await app.post('/v1/agents', { name: 'a', role: 'r', systemPrompt: 's' })
    const crew = [{ role: 'writer', systemPrompt: 's', agentId: agent.id }]
    const workflow = await app.post('/v1/workflows', { name: 'w', crew })
    const urls = [`/v1/agents/${agent.id}`, `/v1/workflows/${workflow.id}`] as const
    const [agentUrl, workflowUrl] = urls
    const changes: [url: string, body: object][] = [
      [agentUrl, { status: 'paused' }],
      [agentUrl, { status: 'active' }],
      [agentUrl, { name: 'draft', draft: true }],
      [agentUrl, { name: 'b' }],
      [workflowUrl, { status: 'paused' }],
      [workflowUrl, { name: 'd', draft: true }],
      [workflowUrl, { name: 'v' }],
      [`${workflowUrl}/versions/1/publish`, {}],
    ]
    for (const [changed, body] of changes) {
      const before = new Map<string, Answer>()
      for (const url of urls) before.set(url, await read(url))
      const method = changed.endsWith('publish') ? 'POST' : 'PATCH'
      const { status } = await app.call(method, changed, { body })
      assert.equal(status, 200)
      for (const [url, earlier] of before) {
        const again = await read(url, { 'if-none-match': earlier.headers.get('etag') ?? '' })
        const isSame = isDeepStrictEqual((await read(url)).body, earlier.body)
        assert.equal(again.status, isSame ? 304 : 200, `${url} after ${changed}`)
        if (changed.startsWith(url)) assert.equal(again.status, 200, `${url} after ${changed}`)
      }
    }
  })

  it('has a tag that If-Match takes, by its version', async () => {
    const { id } = await app.post('/v1/agents', { name: 'a', role: 'r', systemPrompt: 's' })
    const url = `/v1/agents/${id}`
    const change = (name: string, condition: string) =>
      app.call('PATCH', url, { body: { name }, headers: { 'if-match': condition } })
    const first = await tagOf(url)
    assert.match(first, /^"1-[\w-]{22}"$/)
    await app.call('PATCH', url, { body: { status: 'paused' } })
    // A pause makes no version, so the tag of before still names the live one.
    const changed = await change('b', first)
    assert.deepEqual([changed.status, changed.headers.get('etag')], [200, '"2"'])
    for (const condition of [first, `W/"2"`, `W/${await tagOf(url)}`, '"22"', '"2', '"1", *', '']) {
      const late = await change('c', condition)
      assert.deepEqual(codeOf(late), [412, 'version_conflict'], condition)
    }
    let version = 2
    for (const toCondition of [
      () => `"${version}"`,
      () => String(version),
      () => `"1", W/"3", "${version}"`,
      () => '*',
    ]) {
      assert.equal((await change(`v${version}`, toCondition())).status, 200, toCondition())
      version += 1
    }
  })
})

it('a part of a file is sent if If-Range is its tag, else the whole', async () => {
  const world = new World(app)
  const [id] = await world.first('/v1/files/:id')
  const url = `/v1/files/${id}/content`
  const etag = await tagOf(url)
  const range = { range: 'bytes=0-3' }
  assert.equal((await read(url, { ...range, 'if-range': etag })).status, 206)
  for (const other of ['"other"', `W/${etag}`, 'Fri, 27 Nov 2026 00:00:00 GMT']) {
    assert.equal((await read(url, { ...range, 'if-range': other })).status, 200, other)
  }
})

it('reads tags as they are written, weak or not, with or without quotes', () => {
  assert.equal(readTags(' * '), '*')
  assert.deepEqual(readTags('W/"1" , "2-a,b", 3,,W/4'), [
    { isWeak: true, value: '1' },
    { isWeak: false, value: '2-a,b' },
    { isWeak: false, value: '3' },
    { isWeak: true, value: '4' },
  ])
  assert.equal(versionOf({ isWeak: false, value: '12-3-4' }), '12')
})
