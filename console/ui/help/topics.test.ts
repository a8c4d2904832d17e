import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { it } from 'node:test'
import { helpTopics } from './topics.ts'
import { headingId } from './heading-id.ts'

it('each topic has its page and section in the docs', async () => {
  for (const { page } of Object.values(helpTopics)) {
    const [name, section] = page.split('#')
    const text = await readFile(new URL(`../../../docs/${name}.md`, import.meta.url), 'utf8')
    const ids = [...text.matchAll(/^#+ (.+)$/gm)].map(([, words = '']) => headingId(words))
    if (section !== undefined) assert.ok(ids.includes(section), page)
  }
})
