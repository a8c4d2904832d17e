import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseBody, refuseType } from './body.ts'

const form = 'application/x-www-form-urlencoded'
const parse = (text: string, contentType = 'application/json') =>
  parseBody(Buffer.from(text), contentType)

describe('the body of an event', () => {
  it('keeps numbers that JavaScript would round, as texts', () => {
    assert.deepEqual(parse('{"id":8202522731445525542,"big":[1e400,-9007199254740993],"n":1.5}'), {
      id: '8202522731445525542',
      big: ['1e400', '-9007199254740993'],
      n: 1.5,
    })
    assert.deepEqual(parse(`payload=${encodeURIComponent('{"id":8202522731445525542}')}`, form), {
      id: '8202522731445525542',
    })
    assert.equal(parse('12345678901234567890'), '12345678901234567890')
  })

  it('lists the values of a repeated name of a form', () => {
    const fields = parse('tag=a&tag=b&name=Ada+L.&tag=&tag=c', `${form}; charset=UTF-8`)
    assert.deepEqual(fields, { tag: ['a', 'b', '', 'c'], name: 'Ada L.' })
    assert.deepEqual(parse('payload={}&payload=[]', form), { payload: ['{}', '[]'] })
  })

  it('is read by its charset, without a byte order mark', () => {
    assert.deepEqual(parse('\uFEFF{"a":"ü"}'), { a: 'ü' })
    const latin = parseBody(
      Buffer.from('Gr\xfc\xdfe', 'latin1'),
      'text/plain; charset="iso-8859-1"',
    )
    assert.equal(latin, 'Grüße')
    assert.equal(parse('ü', 'text/plain; charset=klingon'), 'ü')
  })

  it('is not read in parts', () => {
    assert.match(
      refuseType('Multipart/Form-Data; boundary=x') ?? '',
      /^the body is multipart\/form-data/,
    )
    assert.equal(refuseType(`${form}; charset=utf-8`), undefined)
    assert.equal(refuseType(''), undefined)
  })
})
