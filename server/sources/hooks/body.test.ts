import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseBody, refuseFields, refuseType } from './body.ts'

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

  it('keeps characters of senders that do not say their charset', () => {
    const latin = (text: string, type: string) => parseBody(Buffer.from(text, 'latin1'), type)
    assert.deepEqual(latin('{"n":"Müller"}', 'application/json'), { n: 'Müller' })
    assert.equal(latin('Gr\xfc\xdfe', 'text/plain; charset=utf-8'), 'Grüße')
    assert.deepEqual(parse('n=M%FCller&e=%80&u=%C3%BC%F0%9F%98%80', form), {
      n: 'Müller',
      e: '€',
      u: 'ü😀',
    })
    assert.deepEqual(parse('n=%E4', `${form}; charset=iso-8859-5`), { n: 'ф' })
    assert.deepEqual(latin('n=M\xfcller', form), { n: 'Müller' })
    const utf16 = Buffer.from('\uFEFF{"a":"ü"}', 'utf16le')
    assert.deepEqual(parseBody(utf16, 'application/json'), { a: 'ü' })
    assert.deepEqual(parseBody(utf16.swap16(), 'application/json'), { a: 'ü' })
    assert.deepEqual(parse('&&=&a&b=%&c=%zz=1+%2B', form), { '': '', a: '', b: '%', c: '%zz=1 +' })
  })

  it('has no field left out: a form of too many is refused', () => {
    const of = (count: number) => Buffer.from('f=1&'.repeat(count).slice(0, -1))
    assert.equal(refuseFields(of(1_000), form), undefined)
    assert.equal(refuseFields(of(1_001), form), 'the form has 1001 fields, at most 1000')
    assert.equal(refuseFields(of(1_001), 'text/plain'), undefined)
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
