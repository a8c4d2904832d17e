import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { writeLlms } from '../console/build/docs.ts'
import { makeScratchFolder } from '../rig/scratch-folder.ts'
import { commandDefinitions } from '../cli/generated.ts'
import { readConfig } from '../server/start/config.ts'
import { findBrokenLinks, readPages, withoutCode } from './links.ts'
import { runWalk } from './walk.ts'

const root = join(import.meta.dirname, '..')
const texts = await readPages(root)
const pages = [...texts.keys()]
const text = (page: string): string => texts.get(page) ?? assert.fail(`There is no ${page}`)

describe('the docs', () => {
  it('have links that lead to a file and a heading that exist', async () => {
    assert.deepEqual(await findBrokenLinks(root, texts), [])
  })

  it('have paragraphs of at most five lines', () => {
    const long: string[] = []
    for (const [page, content] of texts) {
      if (!/^(README|docs\/[^/]+|docs\/tasks\/[^/]+)\.md$/.test(page)) continue
      for (const block of withoutCode(content).split(/\n\n+/)) {
        const isParagraph = !/^\s*([|#<-]|\d+\.)/.test(block)
        if (isParagraph && block.length > 620) long.push(`${page}: ${block.slice(0, 60)}…`)
      }
    }
    assert.deepEqual(long, [])
  })

  it('are all in the index, which the README links to', () => {
    const index = text('docs/README.md')
    const listed = [...index.matchAll(/\]\(([^)#\s]+)\)/g)].map(([, link]) => link)
    const expected = pages
      .filter((page) => /^docs\/(tasks\/)?[^/]+\.md$/.test(page) && page !== 'docs/README.md')
      .map((page) => page.slice('docs/'.length))
    assert.deepEqual(new Set(listed), new Set([...expected, 'decisions/']))
    assert.match(text('README.md'), /\]\(docs\/README\.md/)
    assert.ok(text('README.md').split('\n').length <= 150)
  })

  it('are listed for programs, each at its address in the service', async () => {
    await using folder = await makeScratchFolder()
    const file = join(folder.path, 'llms.txt')
    await writeLlms(join(root, 'docs'), file)
    const list = await readFile(file, 'utf8')
    const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)
    const expected = pages.filter((page) => /^docs\/(tasks\/)?[^/]+\.md$/.test(page))
    const addresses = expected.map((page) => page.replace('docs/', '/help/'))
    assert.deepEqual(new Set([...links, '/help/README.md']), new Set(addresses))
  })

  it('describe every variable that is read, once, and no other', () => {
    const read = new Set<string>()
    const environment = new Proxy<Record<string, string>>(
      {},
      {
        get: (_, name) => {
          read.add(String(name))
          return undefined
        },
      },
    )
    readConfig(environment)
    // One sentence documents the variants with a file for all secrets.
    for (const name of read) {
      if (name.endsWith('_FILE') && read.has(name.slice(0, -5))) read.delete(name)
    }
    const rows = text('docs/configuration.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const named = rows.flatMap((row) =>
      [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name),
    )
    assert.deepEqual(new Set(named), read)
    assert.equal(named.length, read.size)
  })

  it('list each command of a resource once', () => {
    const rows = text('docs/cli.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((row) => row.split(' | ')[0] ?? '')
    assert.deepEqual(rows, [...new Set(rows)])
    const nouns = new Set(commandDefinitions.map(({ command }) => command.split(' ')[0] ?? ''))
    const missing = [...nouns].filter((noun) => !rows.some((row) => row.includes(`\`${noun}`)))
    assert.deepEqual(missing, [])
  })

  it('have a walk through the API with curl that works as it stands', async () => {
    const stdout = await runWalk('docs/tasks/call-the-api.md')
    assert.match(stdout, /"status":"completed"/)
    assert.match(stdout, /seal/)
    assert.match(stdout, /event: run\.completed/)
    assert.match(stdout, /"status":"paused"/)
  })
})
