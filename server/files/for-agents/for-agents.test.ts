import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import pino from 'pino'
import { createAccount } from '../../accounts/create-account.ts'
import {
  callTools,
  complete,
  startTestApp,
  toolResults,
  type ChatRequest,
} from '../../../test/test-app.ts'
import { openContents } from '../../contents/open-contents.ts'
import { makePdf, makePng, upload } from '../test-files.ts'
import { writeFile } from './write-file.ts'
import { fixture } from '../../../test/fixture.ts'
import { pluck } from '../../../test/pluck.ts'
import { testLimits } from '../../start/test-limits.ts'

let asked: ChatRequest[] = []
/** The calls that the model makes, turn by turn; then it repeats the last results of its tools. */
let calls: { name: string; arguments: unknown }[][] = []

const app = fixture(() =>
  startTestApp({
    answer: (request, response) => {
      asked.push(request)
      const next = calls.shift()
      if (next === undefined) complete(response, toolResults(request).join('\n') || 'done')
      else callTools(response, next)
    },
  }),
)

const pages = (count: number, of: (page: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => of(index + 1))

const makeAgent = (capabilities: string[]) => app.createAgent({ capabilities })

interface Run {
  files?: string[]
  crew?: object[]
  calls?: typeof calls
}

async function run({ files = [], crew, calls: wanted = [] }: Run) {
  asked = []
  calls = wanted
  const members = crew ?? [{ role: 'clerk', systemPrompt: 's' }]
  return app.run(await app.createWorkflow({ crew: members }), { input: 'go', files })
}

const writes = (name: string, content: string) => ({
  name: 'files__write',
  arguments: { name, content },
})

describe('files of a run, for its agents', () => {
  it('are in the prompt as text where they fit, and named with their size where not', async () => {
    const small = (await upload(app, 'The code is 4711.', 'small.md')).body.data
    const large = (await upload(app, 'x'.repeat(40_000), 'large.txt')).body.data
    const scan = (await upload(app, await makePdf(['', '']), 'scan.pdf')).body.data
    const image = (await upload(app, makePng(10, 10), 'image.png')).body.data
    const { status, id } = await run({ files: [small.id, large.id, scan.id, image.id] })
    assert.equal(status, 'completed')
    const prompt = asked[0]?.messages.at(-1)?.content ?? ''
    assert.match(prompt, /^go\n\n## Files\n/)
    assert.match(prompt, /### small\.md\n\nThe code is 4711\./)
    assert.match(prompt, /large\.txt .* not shown here, its text has 40,000 characters; find words/)
    assert.match(prompt, /scan\.pdf .* it has no text: its 2 pages are pictures, probably a scan/)
    assert.match(prompt, /image\.png .* this model does not take image\/png/)
    assert.ok(!prompt.includes('xxxx'))
    const names = asked[0]?.tools?.map((tool) => tool.function.name)
    assert.deepEqual(names, ['remember', 'forget', 'files__read', 'files__search'])
    const [, user] = (await app.get(`/v1/runs/${id}/steps/0/turns`))[0].messages
    assert.match(user.text, /small\.md .*its text is below/)
    assert.ok(!user.text.includes('4711'))
  })

  it('are in the prompt page by page, and a text of many parts in one', async () => {
    const pdf = (await upload(app, await makePdf(['ends here', 'begins anew']), 'two.pdf')).body
      .data
    const text = `${'x'.repeat(999)}\n`.repeat(22)
    const long = (await upload(app, text, 'long.txt')).body.data
    await run({ files: [pdf.id, long.id] })
    const prompt = asked[0]?.messages.at(-1)?.content ?? ''
    assert.match(prompt, /### two\.pdf\n\nends here\n\nbegins anew/)
    assert.ok(prompt.includes(text.trimEnd()), prompt.slice(0, 1_000))
  })

  it('are in the prompt whole, also behind long blank space', async () => {
    const blank = (await upload(app, `${' \n'.repeat(12_000)}The code is 4711.`, 'blank.txt')).body
      .data
    await run({ files: [blank.id] })
    const prompt = asked[0]?.messages.at(-1)?.content ?? ''
    assert.match(prompt, /its text is below/)
    assert.match(prompt, /The code is 4711\./)
  })

  it('are searched for words, and read page by page', async () => {
    const texts = pages(
      30,
      (page) => `Page ${page} speaks of rivers. ${page === 17 ? 'The heron nests here.' : ''}`,
    )
    const file = (await upload(app, await makePdf(texts), 'birds.pdf')).body.data
    const found = await run({
      files: [file.id],
      calls: [
        [{ name: 'files__search', arguments: { query: 'Where does the HERON nest?' } }],
        [
          { name: 'files__search', arguments: { query: 'heron rivers', file: 'birds.pdf' } },
          { name: 'files__read', arguments: { file: 'BIRDS.pdf', page: 17 } },
          { name: 'files__read', arguments: { file: file.id, page: 31 } },
          { name: 'files__read', arguments: { file: 'fish.pdf' } },
          { name: 'files__search', arguments: { query: 'penguin' } },
        ],
      ],
    })
    assert.equal(found.status, 'completed')
    const first = toolResults(asked[1] as ChatRequest)[0] ?? ''
    assert.match(first, /birds\.pdf, page 17:\n…Page 17 speaks of rivers\. The heron nests here\.…/)
    const [again = '', read = '', past, unknown, nothing] = toolResults(asked[2] as ChatRequest)
    assert.match(again, /^30 pages have some of the words; the best 8:\n\nbirds\.pdf, page 17:/)
    assert.match(read, /^--- birds\.pdf, page 17 of 30 ---\nPage 17/)
    assert.match(read, /page 30 of 30 ---\n[^]*\[end of the file\]$/)
    assert.equal(past, 'birds.pdf has pages 1 to 30, not 31.')
    assert.equal(unknown, 'There is no file "fish.pdf" in this run; its files are "birds.pdf".')
    assert.match(nothing ?? '', /^No page has any of the words penguin/)
  })

  it('are searched without regard to case, in any script', async () => {
    const text = 'ÜBUNG macht den Meister. Договор подписан. ΑΘΗΝΑ'
    const file = (await upload(app, text, 'words.txt')).body.data
    const queries = ['übung', 'ÜBUNG', 'договор', 'ДОГОВОР', 'αθηνα', 'meister']
    await run({
      files: [file.id],
      calls: [queries.map((query) => ({ name: 'files__search', arguments: { query } }))],
    })
    const results = toolResults(asked[1] as ChatRequest)
    for (const [place, query] of queries.entries())
      assert.match(results[place] ?? '', /^1 page has some of the words/, query)
  })

  it('are found whether accents are composed or not, in the text, the query and the name', async () => {
    const text = 'é Crème brûlée'
    const composed = (await upload(app, text.normalize('NFC'), 'composed.txt')).body.data
    const apart = (await upload(app, text.normalize('NFD'), 'é.txt'.normalize('NFD'))).body.data
    const query = 'brûlée'
    await run({
      files: [composed.id, apart.id],
      calls: [
        [query.normalize('NFC'), query.normalize('NFD')].flatMap((query) => [
          { name: 'files__search', arguments: { query } },
          { name: 'files__search', arguments: { query, file: 'é.txt'.normalize('NFD') } },
        ]),
      ],
    })
    const results = toolResults(asked[1] as ChatRequest)
    for (const [place, count] of [2, 1, 2, 1].entries()) {
      const found = (results[place] ?? '').match(/…é Crème brûlée…/g) ?? []
      assert.equal(found.length, count, `${place}: ${results[place]}`)
    }
  })

  it('are not those of another account, nor of another run', async () => {
    const other = await createAccount(app.database, 'elsewhere')
    const headers = { authorization: `Bearer ${other.adminKey}` }
    const foreign = (await upload(app, 'secret', 'foreign.txt', headers)).body.data
    const elsewhere = (await upload(app, 'secret', 'elsewhere.txt')).body.data
    const own = (await upload(app, 'own', 'own.txt')).body.data
    await run({
      files: [own.id],
      calls: [
        [foreign.id, elsewhere.id].map((file) => ({ name: 'files__read', arguments: { file } })),
      ],
    })
    for (const result of toolResults(asked[1] as ChatRequest)) {
      assert.match(result, /^There is no file "file_\w+" in this run; its files are "own\.txt"\.$/)
    }
  })

  it('are written once, listed, audited, and there for the next step', async () => {
    const agentId = await makeAgent(['files.write'])
    const crew = [
      { agentId, role: 'writer', systemPrompt: 's' },
      { role: 'reader', systemPrompt: 's' },
    ]
    const ended = await run({
      crew,
      calls: [
        [
          writes('../a/report.md', '# Report'),
          writes('report.md', 'again'),
          writes('x.pdf', '%PDF-1.7'),
        ],
      ],
    })
    assert.equal(ended.status, 'completed', JSON.stringify(ended))
    const [one = '', two, three] = toolResults(asked[1] as ChatRequest)
    assert.match(one, /^Written: report\.md, 8 bytes \(file_\w+\)\.$/)
    assert.equal(two, 'Cannot write report.md: the run has a file of that name, choose another')
    assert.equal(three, 'Cannot write x.pdf: it begins as application/pdf does')
    const [file] = ended.files.outputs
    assert.equal(ended.files.outputs.length, 1)
    assert.equal(file.media_type, 'text/markdown')
    const content = await app.call('GET', `/v1/files/${file.id}/content`)
    assert.equal(content.body, '# Report')
    assert.match(asked.at(-1)?.messages.at(-1)?.content ?? '', /### report\.md\n\n# Report/)
    const events = await app.call('GET', `/v1/runs/${ended.id}/events`, {
      headers: { accept: 'application/json' },
    })
    assert.equal([...JSON.stringify(events.body).matchAll(/file\.written/g)].length >= 1, true)
    const audit = await app.get(`/v1/audit?object_id=${file.id}`)
    assert.deepEqual(pluck(audit, 'action'), ['file.written'])
  })

  it('are written once though a worker dies between the bytes and the commit', async () => {
    const { id: runId } = await run({})
    const { database } = app
    const { accountId } = app
    const log = pino({ level: 'fatal' })
    await using contents = openContents(database, { store: undefined, otherStores: [] }, undefined)
    const services = { database, contents, fileBytesPerAccount: 1e9, limits: testLimits(), log }
    const writer = { accountId, runId, step: { position: 0, role: 'clerk' } }
    const call = { id: 'call_1', input: { name: 'a.txt', content: 'once' } }
    const again = () => writeFile(services, writer, call)
    await again()
    const lost = (await again()).keep
    const dies = database.transaction().execute(async (transaction) => {
      assert.equal((await lost(transaction)).status, 'succeeded')
      throw new Error('killed')
    })
    await assert.rejects(dies, /killed/)
    const last = await again()
    const kept = await database.transaction().execute(last.keep)
    assert.equal(kept.status, 'succeeded')
    const { files } = await app.get(`/v1/runs/${runId}`)
    assert.equal(files.outputs.length, 1)
    const content = await app.call('GET', `/v1/files/${files.outputs[0].id}/content`)
    assert.equal(content.body, 'once')
    const left = await app.sql`select from file_contents where state = 'arriving'`
    assert.equal(left.length, 2, 'the background drops the two others')
  })

  it('are at most 20 that a run writes, and count towards the bytes of the account', async () => {
    const agentId = await makeAgent(['files.write'])
    const crew = [{ agentId, role: 'writer', systemPrompt: 's' }]
    const many = pages(21, (page) => `file-${page}.txt`).map((name) => writes(name, 'text'))
    const ended = await run({ crew, calls: [many] })
    assert.equal(ended.files.outputs.length, 20)
    const results = toolResults(asked[1] as ChatRequest)
    assert.equal(
      results.filter((result) =>
        /^Cannot write file-\d+\.txt: .*\b20 written files a run/.test(result),
      ).length,
      1,
      results.join('\n'),
    )
    await app.sql`update accounts set max_file_bytes = 1`
    try {
      const full = await run({ crew, calls: [[writes('b.txt', 'text')]] })
      assert.deepEqual(full.files.outputs, [])
      assert.match(
        toolResults(asked[1] as ChatRequest)[0] ?? '',
        /^Cannot write b\.txt: the account's files have \d+ bytes, at most 1;/,
      )
    } finally {
      await app.sql`update accounts set max_file_bytes = null`
    }
  })

  it('are named to nobody where there are none', async () => {
    await run({})
    assert.equal(asked[0]?.messages.at(-1)?.content, 'go')
    assert.deepEqual(
      asked[0]?.tools?.map((tool) => tool.function.name),
      ['remember', 'forget'],
    )
  })
})
