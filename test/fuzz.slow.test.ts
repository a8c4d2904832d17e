import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { Agent } from 'undici'
import { fixture, prepare } from './fixture.ts'
import { createSender, type Send } from './fuzz/answers.ts'
import { readDocument } from './fuzz/document.ts'
import { keepId, shotsAt, type Shot } from './fuzz/requests.ts'
import { move, play } from './fuzz/sequences.ts'
import { openGround } from './fuzz/ground.ts'

/**
 * Fuzzes every operation of the OpenAPI document. For any request, the service must answer in time,
 * never with 500, with a body that fits the document and reveals nothing internal or of other
 * accounts.
 *
 * `FUZZ_SECONDS=600` runs longer, with a new seed each time; `FUZZ_SEED=…` repeats one.
 */
const seconds = Number(process.env['FUZZ_SECONDS'] ?? 60)
const seed = Number(
  process.env['FUZZ_SEED'] ?? (process.env['FUZZ_SECONDS'] === undefined ? 1 : Date.now()),
)

const document = await readDocument()
const ground = fixture(openGround)
let client: Agent
let send: Send

prepare(async () => {
  client = new Agent({ connections: 50 })
  send = createSender(document, ground.url, client, ground.keys.neighbour)
})
after(() => client?.destroy())

describe('the service under fuzzing', { timeout: (2 * seconds + 90) * 1000 }, () => {
  it('answers every operation as the document says', async () => {
    const succeeded = new Set<string>()
    const shot = fc.oneof(
      ...document.operations.map((operation) => shotsAt(document, operation, ground)),
    )
    const volley = fc.array(shot, { minLength: 1, maxLength: 8 })
    await hold(volley, seconds * 0.8, async (shots) => {
      await Promise.all(
        shots.map(async (make) => {
          const shot = make()
          const { status, body } = await named(shot, () => send(shot))
          keepId(ground, shot, status, body?.data?.id)
          if (status < 300) succeeded.add(shot.operationId)
        }),
      )
    })
    const { length } = document.operations
    assert.ok(succeeded.size > length / 2, `only ${succeeded.size} of ${length} ever succeeded`)
  })

  it('keeps to what is there: made, changed, deleted, used after that', async () => {
    await hold(fc.array(move, { minLength: 3, maxLength: 20 }), seconds * 0.2, async (moves) => {
      await play(moves, (shot) => {
        const headers = { authorization: `Bearer ${ground.keys.admin}`, ...shot.headers }
        return named(shot, () => send({ ...shot, headers }))
      })
    })
  })
})

/** Checks the property for this many seconds; a failure names the seed. */
async function hold<T>(
  values: fc.Arbitrary<T>,
  forSeconds: number,
  check: (value: T) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(values, check), {
    seed,
    numRuns: 1_000_000,
    interruptAfterTimeLimit: forSeconds * 1000,
    includeErrorInReport: true,
  })
}

/** Adds the request to a failure. */
async function named<T>({ method, path, headers, body }: Shot, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const { authorization: _, ...shown } = headers
    const request = `${method} ${path} ${JSON.stringify(shown)} ${(body ?? '').slice(0, 1_000)}`
    throw new Error(`${request}\n${String(error)}`, { cause: error })
  }
}
