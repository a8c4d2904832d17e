import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { wireNames } from './contract.ts'

describe('names of tools', () => {
  it('are what providers take, and lead back to the tool', () => {
    const ids = ['email.send', 'crm.a b/ü', 'request_input', `long.${'x'.repeat(100)}`]
    const names = wireNames(ids)
    assert.deepEqual([...names.values()], ids)
    for (const name of names.keys()) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
    assert.equal(names.get('email__send'), 'email.send')
  })

  it('stay apart where they would fall together', () => {
    const ids = ['a.b_c', 'a.b c', 'a.b.c', 'a.b__c']
    const names = wireNames(ids)
    assert.equal(names.size, ids.length)
  })
})
