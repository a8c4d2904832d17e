import assert from 'node:assert/strict'
import { it } from 'node:test'
import { helpAddress } from './help-address.ts'

it('links between pages of the docs lead to these pages in the console, others do not', () => {
  const links: [page: string, href: string, address: string | undefined][] = [
    ['README', 'tasks/triage-email.md', '/help/tasks/triage-email'],
    ['tasks/triage-email', '../models.md#prices', '/help/models'],
    ['models', 'README.md', '/help'],
    ['models', 'https://example.com/a.md', undefined],
    ['models', 'decisions/', undefined],
    ['models', '#prices', '/help/models'],
    ['models', 'http://[', undefined],
  ]
  for (const [page, href, address] of links) assert.equal(helpAddress(page, href), address, href)
})
