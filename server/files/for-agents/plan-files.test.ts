import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RunFile } from '../../engine/journal/files.ts'
import { mediaTypes } from '../../models/contract.ts'
import { findFile } from './find-file.ts'
import { describeFiles, planFiles } from './plan-files.ts'
import { writePages } from './read-text.ts'
import { bestMatches, searchWords } from './search-text.ts'
import { withParts } from './step-files.ts'
import { pluck } from '../../../test/pluck.ts'

function file(more: Partial<RunFile> = {}): RunFile & { content_id: string } {
  return {
    id: 'file_1',
    name: 'a.txt',
    media_type: 'text/plain',
    bytes: 100,
    width: null,
    height: null,
    pages: null,
    text_status: 'complete',
    text_chars: 100,
    text_pages: 1,
    step_position: null,
    content_id: 'cnt_1',
    ...more,
  } as RunFile & { content_id: string }
}
const pdf = (more: Partial<RunFile> = {}) =>
  file({ name: 'a.pdf', media_type: 'application/pdf', pages: 10, text_pages: 10, ...more })
const image = (more: Partial<RunFile> = {}) =>
  file({
    name: 'a.png',
    media_type: 'image/png',
    width: 10,
    height: 10,
    text_status: null,
    text_chars: null,
    ...more,
  })
const sees = { contextWindow: 1_000_000, inputTypes: mediaTypes }
const blind = { contextWindow: 100_000, inputTypes: [] }
const howOf = (...args: Parameters<typeof planFiles>) => pluck(planFiles(...args), 'how')

describe('a plan of files', () => {
  it('attaches what the model takes, and gives others their text', () => {
    const all = [pdf(), image(), file()]
    assert.deepEqual(howOf(all, sees), ['attached', 'attached', 'text'])
    assert.deepEqual(howOf(all, blind), ['text', 'named', 'text'])
    assert.deepEqual(howOf(all, undefined), ['text', 'named', 'text'])
    const noGif = { ...sees, inputTypes: ['image/png'] }
    assert.deepEqual(howOf([image(), image({ media_type: 'image/gif' })], noGif), [
      'attached',
      'named',
    ])
  })

  it('keeps to a quarter of the window, and names what does not fit', () => {
    // The limit of 25,000 tokens is 75,000 characters.
    const files = [50_000, 30_000, 24_000].map((text_chars) => file({ text_chars }))
    assert.deepEqual(howOf(files, blind), ['text', 'named', 'text'])
    const [, second] = planFiles(files, blind)
    assert.match(
      describeFiles([second as NonNullable<typeof second>]),
      /its text has 30,000 characters; find/,
    )
  })

  it('bounds what is attached in number, bytes, pages, pixels and tokens', () => {
    const count = (files: RunFile[]) =>
      howOf(files, sees).filter((how) => how === 'attached').length
    assert.equal(count(Array.from({ length: 30 }, () => image())), 20)
    assert.equal(count([image({ bytes: 4_000_000 })]), 0)
    assert.equal(count([image({ width: 8_001 })]), 0)
    assert.equal(count(Array.from({ length: 3 }, () => image({ bytes: 3_000_000 }))), 2)
    assert.equal(count([pdf({ pages: 40 }), pdf({ pages: 11 })]), 1)
    assert.equal(count([pdf({ pages: 101 })]), 0)
    assert.deepEqual(howOf([pdf({ bytes: 7_000_000 })], sees), ['text'])
  })

  it('says of a scan, a deleted file and a cut text what they are', () => {
    const words = (one: RunFile, model: Parameters<typeof planFiles>[1] = blind) =>
      describeFiles(planFiles([one], model))
    assert.match(
      words(pdf({ text_status: 'none', text_chars: 0 })),
      /10 pages are pictures, probably a scan/,
    )
    assert.match(words(pdf({ text_status: 'none', text_chars: 0 }), sees), /: attached/)
    assert.match(words(file({ content_id: null })), /it is deleted/)
    assert.match(words(file({ text_status: 'cut' })), /below, of which only the beginning was kept/)
    assert.equal(describeFiles([]), '')
  })
})

describe('a file that a model names', () => {
  it('is found by id, by name, and by name in other case', () => {
    const files = [file({ id: 'file_1', name: 'A.txt' }), file({ id: 'file_2', name: 'b.txt' })]
    for (const [wanted, id] of [
      ['file_2', 'file_2'],
      [' A.txt ', 'file_1'],
      ['B.TXT', 'file_2'],
    ] as const) {
      const found = findFile(files, wanted)
      assert.ok('file' in found)
      assert.equal(found.file.id, id)
    }
    assert.deepEqual(findFile(files, 'c'), {
      problem: 'There is no file "c" in this run; its files are "A.txt", "b.txt"',
    })
  })
})

describe('text that is read', () => {
  const three = pdf({ pages: 3, text_pages: 3, name: 'a.pdf' })
  const all = [1, 2, 3].map((page) => ({ page, text: `${page}`.repeat(10) }))

  it('goes on where it was cut, until the end', () => {
    assert.match(
      writePages(three, all, 0, 15),
      /page 2 of 3 ---\n22222\n\n\[goes on at page 2, offset 5\]$/,
    )
    assert.match(
      writePages(three, all.slice(1), 5, 15),
      /^--- a\.pdf, page 2 of 3 ---\n22222\n\n[^]*3{10}\n\n\[end of the file\]$/,
    )
    assert.match(writePages(three, all, 0, 20), /2{10}\n\n\[goes on at page 3\]$/)
    assert.match(writePages({ ...three, text_status: 'cut' }, all, 0), /kept only up to here/)
    assert.match(
      writePages(three, [{ page: 3, text: '😀😀' }], 0, 1),
      /\n\n\n\[goes on at page 3, offset 0\]$|offset 0\]$/,
    )
  })
})

describe('a search', () => {
  it('looks for the words of a query, each once', () => {
    assert.deepEqual(searchWords('Invoice No. 4711-A, invoice!'), ['invoice', 'no', '4711-a'])
    assert.deepEqual(searchWords('Ünïcode 文書'), ['ünïcode', '文書'])
    assert.deepEqual(searchWords(' ?! '), [])
  })

  it('puts pages with rare words first, then those with more words, then the first', () => {
    const match = (page: number, places: number[]) => ({ page, places, file: file() })
    const matches = [
      match(1, [5, 0]),
      match(2, [5, 0]),
      match(3, [1, 90]),
      match(4, [0, 7]),
      match(5, [9, 0]),
    ]
    const best = bestMatches(matches, ['common', 'rare'])
    assert.deepEqual(pluck(best, 'page'), [3, 4, 1, 2, 5])
    assert.equal(best[0]?.at, 90)
  })
})

describe('messages with files', () => {
  it('are one text where they are text, for servers that take nothing else', () => {
    const text = (value: string) => ({ type: 'text' as const, text: value })
    const media = {
      type: 'file' as const,
      mediaType: 'image/png',
      data: { type: 'data' as const, data: new Uint8Array(1) },
    }
    const input = [{ role: 'user' as const, content: [text('input')] }]
    assert.deepEqual(withParts(input, [text('a'), text('b')]), [
      { role: 'user', content: [text('input\n\na\n\nb')] },
    ])
    assert.deepEqual(withParts(input, [text('a'), media])[0]?.content, [text('input\n\na'), media])
  })
})
