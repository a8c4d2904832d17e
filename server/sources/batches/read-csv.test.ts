import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readCsv } from './read-csv.ts'
import { typed, type InexactNumber } from './typed.ts'

async function rowsOf(text: string): Promise<Record<string, string>[]> {
  const rows = await Array.fromAsync(readCsv(Buffer.from(text)))
  return rows.map(({ columns, cells }) =>
    Object.fromEntries(columns.map((name, at) => [name, cells[at] as string])),
  )
}

describe('a CSV', () => {
  it('has the separator that gives equal columns, or that its first line names', async () => {
    const row = { a: '1', b: '2,5' }
    for (const text of [
      'a;b\n1;2,5\n',
      'sep=;\na;b\n1;2,5\n',
      'SEP=;\r\na;b\r\n1;2,5\r\n',
      'a\tb\n1\t2,5\n',
      'sep=|\na|b\n1|2,5',
      'a,b\n1,"2,5"\n',
    ]) {
      assert.deepEqual(await rowsOf(text), [row], text)
    }
    // Both occur once in the header.
    assert.deepEqual(await rowsOf('a,b;c\n1;2\n3;4\n'), [
      { 'a,b': '1', c: '2' },
      { 'a,b': '3', c: '4' },
    ])
    assert.deepEqual(await rowsOf('a;b,c\n1,2\n'), [{ 'a;b': '1', c: '2' }])
    assert.deepEqual(await rowsOf('only\nx\n'), [{ only: 'x' }])
  })

  it('has no items of separators alone, and no empty columns at the end', async () => {
    const text = 'a;b;;\n1;2;;\n;;;\n\n;;\n3;;\n4;5;;;;\n'
    assert.deepEqual(await rowsOf(text), [
      { a: '1', b: '2' },
      { a: '3', b: '' },
      { a: '4', b: '5' },
    ])
    assert.deepEqual(await rowsOf(',name\n0,Ada\n'), [{ '': '0', name: 'Ada' }])
    assert.deepEqual(await rowsOf(';;\n;\n'), [])
  })

  it('says what is wrong with it, and in which line', async () => {
    for (const [text, why, line] of [
      ['a,b,a\n1,2,3\n', 'the CSV has two columns named "a"', 1],
      ['sep=,\na,b,a\n', 'the CSV has two columns named "a"', 2],
      ['a,,b,,c\n1,2,3,4,5\n', 'the CSV has two columns named ""', 1],
      ['a,__proto__\n1,2\n', 'the CSV has the column __proto__, which is never taken', 1],
      ['a,b\n1\n', 'the CSV cannot be read: line 2: expected 2 cells, found 1', 2],
      ['a,b\n1,2\n1,2,3\n', 'the CSV cannot be read: line 3: expected 2 cells, found 3', 3],
      ['a,b\n1,\0\n', 'line 2 holds a NUL', 2],
    ] as const) {
      await assert.rejects(rowsOf(text), { name: 'CsvProblem', message: why, line }, text)
    }
    await assert.rejects(rowsOf('a,b\n1,"2\n'), /the CSV cannot be read: Quote Not Closed/)
  })
})

describe('a cell', () => {
  const schema = {
    type: 'object',
    properties: {
      n: { type: 'number' },
      i: { type: ['integer', 'null'] },
      any: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      text: { type: ['string', 'null'] },
      yes: { type: ['boolean', 'null'] },
    },
    required: ['i', 'text'],
  }
  const convert = async (data: Record<string, string>): Promise<unknown> => {
    const refuse = ({ place, name, number }: InexactNumber): never => {
      throw new Error(`${place} ${name} ${number}`)
    }
    const [item] = typed({ place: 0, items: [{ data }] }, schema, refuse)
    return item?.data
  }

  it('becomes the number, the boolean or the null that the schema allows', async () => {
    assert.deepEqual(await convert({ n: '1.5e3', i: '-7', any: ' .5 ', text: '7', yes: 'TRUE' }), {
      n: 1500,
      i: -7,
      any: 0.5,
      text: '7',
      yes: true,
    })
    assert.deepEqual(await convert({ n: '', i: '', any: '', text: '', yes: '' }), {
      i: null,
      text: '',
    })
    const texts = { n: '0x10', i: '0b1', any: '1_000', other: '7', yes: 'yes' }
    assert.deepEqual(await convert(texts), texts)
  })

  it('is refused where its number would be rounded', async () => {
    await assert.rejects(convert({ i: '8202522731445525542' }), /^Error: 0 i 8202522731445525542$/)
    await assert.rejects(convert({ n: '1e400' }), /^Error: 0 n 1e400$/)
    assert.deepEqual(await convert({ text: '8202522731445525542' }), {
      text: '8202522731445525542',
    })
  })
})
