import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, it } from 'node:test'
import { sectionsOf, type Section } from '../../build/sections.ts'
import { indexHelp } from './search.ts'

const pages = ['schedules', 'hooks', 'budgets', 'configuration', 'human-in-the-loop', 'tasks/form']
const sections: Section[] = []
for (const page of pages) {
  const text = await readFile(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8')
  sections.push(...sectionsOf(page, text))
}
const search = indexHelp(sections)
const first = (words: string) => {
  const [found] = search(words)
  return found && `${found.page}#${found.hash}`
}

describe('the search over the docs', () => {
  it('splits a page into its sections, without Markdown, code comments or notes for tests', () => {
    const page =
      '# A page\n<!-- not run: no -->\nSee [this](a.md#b), `code` and\n**more**.\n\n## It’s `a` part\n\n```sh\n# a comment\nmuster runs\n```\n\n- one\n'
    const of = { page: 'p', title: 'A page' }
    assert.deepEqual(sectionsOf('p', page), [
      { ...of, heading: '', hash: '', text: 'See this, code and more.' },
      { ...of, heading: 'It’s a part', hash: 'its-a-part', text: '# a comment muster runs one' },
    ])
  })

  it('finds the section whose heading or words are meant, with endings and slips', () => {
    assert.equal(first('missed firings'), 'schedules#missed-firings')
    assert.equal(first('daylight'), 'schedules#daylight-saving-time')
    assert.equal(first('shedules'), 'schedules#')
    assert.equal(first('MUSTER_ALLOWED_NETWORKS'), 'configuration#private-networks')
    assert.equal(first('budget'), 'budgets#')
    assert.equal(first('signature'), 'hooks#signatures')
  })

  it('finds sections with some of the words if none has all, and nothing for unknown ones', () => {
    assert.ok(search('approvers platypus').length > 0)
    assert.deepEqual(search('xylophone'), [])
  })
})
