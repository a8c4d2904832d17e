import assert from 'node:assert/strict'
import { it } from 'node:test'
import { derivedId, idFromUuid, newId, siblingId, uuidOf } from './ids.ts'

it('a new id is a TypeID of a UUIDv7 of now', () => {
  const before = Date.now()
  const uuid = uuidOf(newId('run'))
  assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const ms = Number.parseInt(uuid.replaceAll('-', '').slice(0, 12), 16)
  assert.ok(ms >= before && ms <= Date.now(), uuid)
})

it('goes through its UUID and back', () => {
  const id = newId('evt')
  assert.equal(idFromUuid('evt', uuidOf(id)), id)
})

it('ids grow, also within a millisecond and beyond what one can count', () => {
  const ids = Array.from({ length: 20_000 }, () => newId('wf'))
  assert.deepEqual(ids, [...new Set(ids)].sort())
})

it('ids of one moment are not to be guessed from each other', () => {
  const tails = Array.from({ length: 1_000 }, () => newId('key').slice(-8))
  assert.equal(new Set(tails).size, 1_000)
  // Each position takes each of the 32 digits; 1,000 draws miss one with a chance of 1 in 10^11.
  for (let place = 0; place < 8; place++) {
    assert.equal(new Set(tails.map((tail) => tail[place])).size, 32)
  }
})

it('a derived id follows from what it is, is a UUIDv7 and has the time of its run', () => {
  const run = newId('run')
  const id = derivedId('call', run, 0, 1, 2)
  assert.equal(derivedId('call', run, 0, 1, 2), id)
  assert.match(uuidOf(id), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(uuidOf(id).slice(0, 13), uuidOf(run).slice(0, 13))
  const others = [
    derivedId('call', run, 0, 1, 3),
    derivedId('call', run, 0, 12),
    derivedId('evt', run, 0, 1, 2),
  ]
  const all = [id, ...others, derivedId('call', newId('run'), 0, 1, 2)]
  assert.equal(new Set(all.map((one) => one.split('_')[1])).size, 5)
})

it('so does the id of what every run has, for less', () => {
  const runs = Array.from({ length: 1_000 }, () => newId('run'))
  const whats = Array.from({ length: 10 }, (_, position) => `step.completed ${position}`)
  const ids = runs.flatMap((run) => whats.map((what) => siblingId('evt', run, what)))
  const [first = ''] = ids
  assert.equal(siblingId('evt', runs[0] as string, whats[0] as string), first)
  assert.match(
    uuidOf(first),
    /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
  const steps = runs.map((run) => siblingId('step', run, 'step.completed 0'))
  const all = [...runs, ...ids, ...steps].map((id) => id.split('_')[1])
  assert.equal(new Set(all).size, all.length)
})
