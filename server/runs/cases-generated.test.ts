import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { ask, clerkFixture, read, write, type ToolCall } from '../../test/clerk.ts'
import { prepare } from '../../test/fixture.ts'
import { pluck } from '../../test/pluck.ts'
import type { Answer, Person } from '../../test/api-client.ts'
import { callTools, complete } from '../../test/test-app.ts'

/**
 * Generated cases of several calls, under generated sequences of answers: fitting, repeated, late
 * and wrong ones.
 */
const clerk = clerkFixture()
const { app, sink } = clerk
let people: Person[]
prepare(async () => {
  people = [await app.join('Ann', 'approver'), await app.join('Bob', 'approver')]
  app.answer = (request, response) => {
    const [prompt] = request.messages.flatMap(({ role, content }) =>
      role === 'user' ? content : [],
    )
    if (request.messages.at(-1)?.role === 'tool') complete(response, 'done')
    else callTools(response, JSON.parse(String(prompt)))
  }
})

type Kind = 'write' | 'ask' | 'read'
type Move = {
  who: number
  /** Indexes of waiting calls, each with its answer. */
  chosen: { place: number; action: 'approve' | 'edit' | 'reject' }[]
  form: 'decisions' | 'named' | 'plain'
  /**
   * Whether the answer is sent once more: with its key, as a new request, or with the opposite
   * decision.
   */
  again: 'key' | 'same' | 'opposite' | 'no'
}

const kinds = fc.array(fc.constantFrom<Kind>('write', 'write', 'write', 'ask', 'read'), {
  minLength: 2,
  maxLength: 6,
})
const move: fc.Arbitrary<Move> = fc.record({
  who: fc.nat(1),
  chosen: fc.uniqueArray(
    fc.record({
      place: fc.nat(5),
      action: fc.constantFrom('approve' as const, 'edit' as const, 'reject' as const),
    }),
    { minLength: 1, maxLength: 4, selector: ({ place }) => place },
  ),
  form: fc.constantFrom('decisions' as const, 'named' as const, 'plain' as const),
  again: fc.constantFrom('key' as const, 'same' as const, 'opposite' as const, 'no' as const),
})

interface Request {
  id: string
  call_id: string
  kind: string
  tool_input?: { text: string }
}
interface Decision {
  call_id: string
  pending_id: string
  action: 'input' | 'approve' | 'reject'
  input?: string
  tool_input?: { text: string }
}

const toCall =
  (name: string) =>
  (kind: Kind, place: number): ToolCall => {
    const id = `${kind}-${place}`
    if (kind === 'ask') return { ...ask(`${name} ${place}?`), id }
    return kind === 'read' ? { ...read, id } : write(`${name} ${place}`, id)
  }

const decide = ({ id, call_id, kind, tool_input }: Request, action: string): Decision => {
  const where = { call_id, pending_id: id }
  if (kind === 'input') return { ...where, action: 'input', input: `answer of ${call_id}` }
  if (action !== 'edit') return { ...where, action: action as 'approve' | 'reject' }
  return { ...where, action: 'approve', tool_input: { text: `${tool_input?.text}!` } }
}

const opposite = (one: Decision): Decision => {
  const { call_id, pending_id, action } = one
  if (action === 'input') return one
  return { call_id, pending_id, action: action === 'approve' ? 'reject' : 'approve' }
}

let count = 0

async function play(kinds: Kind[], moves: Move[], required: number): Promise<void> {
  const name = `case${++count}`
  const workflowId = await clerk.createWorkflow({ enabled: true, required_approvals: required })
  const input = JSON.stringify(kinds.map(toCall(name)))
  let run: Answer['body'] = await app.run(workflowId, input)
  const path = `/v1/runs/${run.id}/respond`
  /** The accepted decisions of each call. */
  const taken = new Map<string, Decision[]>()
  let key = 0
  const sent = async (who: number, body: object, keyed = `${name}-${key}`) =>
    (people[who] as Person).call('POST', path, body, { 'idempotency-key': keyed })
  for (const { who, chosen, form, again } of [...moves, ...closing]) {
    if (run.status !== 'waiting_input') break
    const requests: Request[] = run.pending.calls ?? [run.pending]
    const open = chosen.flatMap(({ place, action }) => {
      const request = requests[place % requests.length]
      return request === undefined ? [] : [decide(request, action)]
    })
    const unique = [...new Map(open.map((one) => [one.call_id, one])).values()]
    // A plain answer without an id is for the first call.
    const one =
      form === 'plain' ? decide(requests[0] as Request, chosen[0]?.action ?? '') : unique[0]
    const { call_id: _, pending_id, ...plain } = one as Decision
    const some = form === 'decisions' ? unique : [one as Decision]
    const body = { decisions: { decisions: some }, named: { ...plain, pending_id }, plain }[form]
    key++
    const answer = await sent(who, body)
    assert.ok([202, 409].includes(answer.status), JSON.stringify(answer.body))
    if (answer.status === 409) {
      assert.equal(answer.body.error.code, 'already_approved')
      continue
    }
    for (const one of some) taken.set(one.call_id, [...(taken.get(one.call_id) ?? []), one])
    if (again === 'key') assert.deepEqual((await sent(who, body)).body, answer.body)
    run = await app.rest(run.id)
    if (again === 'same' || again === 'opposite') {
      const left = new Set(
        (run.pending?.calls ?? [run.pending]).map((one: Request | null) => one?.id),
      )
      const gone = some.filter(({ pending_id: id }) => !left.has(id))
      if (gone.length === 0) continue
      const decisions = again === 'same' ? gone : gone.map(opposite)
      const late = await sent(who, { decisions }, `${name}-late-${key}`)
      assert.equal(late.status, 409, JSON.stringify(late.body))
    }
  }
  assert.equal(run.status, 'completed')

  const events = await app.events(run.id)
  const decided = events.flatMap(({ type, data }) =>
    type === 'run.resumed' ? ((data['decisions'] as object[] | undefined) ?? [data]) : [],
  ) as { call_id: string; given?: number }[]
  for (const call of run.steps[0].tool_calls) {
    const what = `${name}: ${JSON.stringify(call)}`
    const arrived = sink.calls.filter(({ idempotencyKey }) => idempotencyKey === call.id)
    if (call.tool === 'sink.read') {
      assert.deepEqual([call.decision, arrived.length], [null, 1], what)
      continue
    }
    const last = taken.get(call.id)?.at(-1)
    const finals = decided.filter(({ call_id: id, given }) => id === call.id && given === undefined)
    assert.equal(finals.length, 1, `one decision ${what}`)
    if (call.tool === 'request_input') {
      assert.deepEqual([call.decision, call.output], ['answered', last?.input], what)
    } else if (last?.action === 'reject') {
      assert.deepEqual([call.decision, arrived.length], ['rejected', 0], what)
    } else {
      const edits = taken.get(call.id)?.findLast((one) => one.tool_input !== undefined)
      const text = edits?.tool_input?.text ?? call.input.text
      assert.deepEqual(pluck(arrived, 'input'), [{ text }], what)
      assert.equal(call.decision, edits === undefined ? 'approved' : 'edited', what)
    }
  }
}

/** Two people, in turn, approve everything that still waits. */
const closing: Move[] = Array.from({ length: 40 }, (_, turn) => ({
  who: turn % 2,
  chosen: [0, 1, 2, 3, 4, 5].map((place) => ({ place, action: 'approve' as const })),
  form: 'plain' as const,
  again: 'no' as const,
}))

it('each call has one decision, and each approved one goes out once, whatever is answered', async () => {
  const game = fc.tuple(kinds, fc.array(move, { maxLength: 8 }), fc.constantFrom(1, 1, 2))
  const games = fc.array(game, { minLength: 8, maxLength: 8 })
  const property = fc.asyncProperty(games, async (all) => {
    await Promise.all(all.map((one) => play(...one)))
  })
  await fc.assert(property, { numRuns: 4, endOnFailure: true })
})
