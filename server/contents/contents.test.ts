import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { buffer } from 'node:stream/consumers'
import { s3Keys, startS3Server, type S3Server } from '../../rig/s3-server.ts'
import type { Database } from '../db/client.ts'
import { createTestDatabase } from '../db/test-database.ts'
import { parseAllowedNetworks } from '../outbound/address.ts'
import { createGuardedTransport, type GuardedTransport } from '../outbound/guarded-transport.ts'
import { DatabaseContents } from './database-store.ts'
import { ContentStores, type Contents } from './contents.ts'
import { S3Contents } from './s3-contents.ts'
import { parseS3Url } from './s3-settings.ts'

let stack: AsyncDisposableStack
let database: Database
let server: S3Server
let transport: GuardedTransport

before(async () => {
  stack = new AsyncDisposableStack()
  const made = stack.use(await createTestDatabase())
  database = made.open(2)
  stack.defer(() => database.destroy())
  server = stack.use(await startS3Server())
  transport = stack.use(
    createGuardedTransport({ allowedNetworks: parseAllowedNetworks('127.0.0.0/8,::1/128') }),
  )
})
after(() => stack.disposeAsync())

function inBucket(
  keys = s3Keys,
  query = '',
  wait = async (_ms: number): Promise<void> => {},
  bucket = 'files',
): S3Contents {
  const parsed = parseS3Url(`s3://${bucket}/of/muster?endpoint=${server.url}${query}`)
  assert.ok(parsed !== undefined)
  return new S3Contents({ settings: { ...parsed, ...keys }, transport, wait })
}

async function* partsOf(content: Buffer, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += bytes) yield content.subarray(at, at + bytes)
}

const stores: [string, open: () => Contents, kept: (contentId: string) => Promise<number>][] = [
  [
    'the database',
    () => new DatabaseContents(database),
    async (id) =>
      (
        await database
          .selectFrom('file_chunks')
          .select('position')
          .where('content_id', '=', id)
          .execute()
      ).length,
  ],
  [
    'a bucket',
    () => inBucket(),
    async (id) => [...server.objects.keys()].filter((key) => key.includes(`/${id}/`)).length,
  ],
]

for (const [name, open, kept] of stores) {
  describe(`contents in ${name}`, () => {
    const key = (contentId: string, accountId = 'acc_1') => ({ accountId, contentId })
    const content = randomBytes(9 * 1024 * 1024 + 17)

    it('come back whole and in part, whatever pieces they came in', async () => {
      const store = open()
      await store.put(key('cnt_whole'), partsOf(content, 700_001))
      assert.ok((await buffer(store.read(key('cnt_whole'), 0, content.length))).equals(content))
      const MiB = 1024 * 1024
      for (const [start, end] of [
        [0, 1],
        [MiB - 1, MiB + 1],
        [4 * MiB - 5, 4 * MiB + 5],
        [8 * MiB, 9 * MiB],
        [content.length - 3, content.length],
        [5, 5],
      ] as const) {
        const part = await buffer(store.read(key('cnt_whole'), start, end))
        assert.ok(part.equals(content.subarray(start, end)), `${start} to ${end}`)
      }
      for await (const piece of store.read(key('cnt_whole'), 0, content.length)) {
        assert.ok(piece.length <= MiB)
      }
    })

    it('are those of one account', async () => {
      const store = open()
      await store.put(key('cnt_same'), partsOf(Buffer.from('mine'), 2))
      await store.put(key('cnt_same', 'acc_2'), partsOf(Buffer.from('yours'), 2))
      assert.equal(String(await buffer(store.read(key('cnt_same'), 0, 4))), 'mine')
      await store.delete(key('cnt_same', 'acc_2'))
      assert.equal(String(await buffer(store.read(key('cnt_same'), 0, 4))), 'mine')
      await assert.rejects(buffer(store.read(key('cnt_same', 'acc_2'), 0, 5)))
    })

    it('are gone once deleted, where they came whole, broke off, or never were', async () => {
      const store = open()
      await store.put(key('cnt_gone'), partsOf(content, 1_000_000))
      assert.ok((await kept('cnt_gone')) > 1)
      const broken = async function* (): AsyncGenerator<Uint8Array> {
        yield content.subarray(0, 5 * 1024 * 1024)
        throw new Error('the client left')
      }
      await assert.rejects(store.put(key('cnt_broken'), broken()), /the client left/)
      assert.ok((await kept('cnt_broken')) > 0)
      for (const id of ['cnt_gone', 'cnt_broken', 'cnt_never', 'cnt_gone']) {
        await store.delete(key(id))
        assert.equal(await kept(id), 0, id)
      }
    })

    it('are an error where they end early, never a shorter file', async () => {
      const store = open()
      const lost = { code: 'file_contents_lost' }
      await store.put(key('cnt_short'), partsOf(Buffer.from('short'), 5))
      await assert.rejects(buffer(store.read(key('cnt_short'), 0, 6)), lost)
      await assert.rejects(buffer(store.read(key('cnt_none'), 0, 1)), lost)
    })
  })
}

describe('a bucket', () => {
  const key = { accountId: 'acc_1', contentId: 'cnt_1' }
  const parts = () => partsOf(Buffer.from('text'), 4)
  after(() => {
    server.trouble = undefined
  })

  it('is probed with a few bytes, which do not stay', async () => {
    const before = server.objects.size
    const stores = (store: Contents) => new ContentStores(store, [], transport)
    assert.deepEqual(await stores(inBucket()).probe(), new Map())
    const [[name, why] = []] = await stores(inBucket(s3Keys, '', undefined, 'absent')).probe()
    assert.equal(name, 's3://absent/of/muster')
    assert.match(why ?? '', /NoSuchBucket/)
    assert.equal(server.objects.size, before)
  })

  it('is asked by its own host name where that is set', async () => {
    const host = new URL(server.url).port
    const parsed = parseS3Url(`s3://files/p?endpoint=http://localhost:${host}&path_style=false`)
    assert.equal(parsed?.baseUrl, `http://files.localhost:${host}/p`)
    const lookup = async (): Promise<string[]> => ['127.0.0.1']
    const allowedNetworks = parseAllowedNetworks('127.0.0.0/8')
    await using found = createGuardedTransport({ allowedNetworks, lookup })
    const store = new S3Contents({ settings: { ...parsed, ...s3Keys }, transport: found })
    await store.put(key, parts())
    assert.ok(server.objects.has('files/p/acc_1/cnt_1/0'))
  })

  it('is asked again while it is busy, with pauses', async () => {
    const pauses: number[] = []
    const store = inBucket(s3Keys, '&region=eu-central-1', async (ms) => {
      pauses.push(ms)
    })
    let busy = 2
    server.trouble = (_request, response) => {
      if (busy-- <= 0) return undefined
      if (busy === 0) response.destroy()
      else response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>')
      return 'taken'
    }
    await store.put(key, parts())
    assert.equal(String(await buffer(store.read(key, 0, 4))), 'text')
    assert.equal(pauses.length, 2)
    assert.ok((pauses[0] ?? 0) < (pauses[1] ?? 0))
  })

  it('that is missing is unavailable, for a deletion too, and only the 404 of an object says that it is gone', async () => {
    const missing = inBucket(s3Keys, '', undefined, 'absent')
    const away = { code: 'files_unavailable' }
    await assert.rejects(buffer(missing.read(key, 0, 1)), away)
    await assert.rejects(missing.delete(key), away)
    server.trouble = (_request, response) => {
      response.writeHead(404).end()
      return 'taken'
    }
    await assert.rejects(inBucket().delete(key), away)
    server.trouble = undefined
  })

  it('counts a range that is answered with 200 where it says which it is', async () => {
    const store = inBucket()
    await store.put(key, parts())
    server.trouble = (_request, response) => {
      response.writeHead(200, { 'content-range': 'bytes 1-2/4' }).end('ex')
      return 'taken'
    }
    assert.equal(String(await buffer(store.read(key, 1, 3))), 'ex')
    await assert.rejects(buffer(store.read(key, 0, 2)), { code: 'file_contents_lost' })
    server.trouble = undefined
  })

  it('that stays away is unavailable, and one that refuses is not asked again', async () => {
    server.trouble = (_request, response) => {
      response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>')
      return 'taken'
    }
    const before = server.requests.length
    const away = { code: 'files_unavailable', retryAfterSeconds: 10 }
    await assert.rejects(inBucket().put(key, parts()), away)
    assert.equal(server.requests.length - before, 3)
    server.trouble = undefined
    const stranger = inBucket({ ...s3Keys, secretAccessKey: 'wrong' })
    await assert.rejects(buffer(stranger.read(key, 0, 1)), (error: Error) => {
      assert.equal((error as { code?: string }).code, 'files_unavailable')
      assert.doesNotMatch(error.message, /files\/of|127\.0\.0\.1/)
      assert.match((error.cause as Error).message, /GET s3:.* 403 SignatureDoesNotMatch$/)
      return true
    })
    assert.equal(server.requests.length - before, 4)
  })
})
