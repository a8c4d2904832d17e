import assert from 'node:assert/strict'
import { it } from 'node:test'
import { helpAddress, helpPicture } from './address.ts'

it('links between pages of the docs lead to these pages in the console, others do not', () => {
  const links: [page: string, href: string, address: string | undefined][] = [
    ['README', 'tasks/triage-email.md', '/help/tasks/triage-email'],
    ['tasks/triage-email', '../models.md#prices', '/help/models#prices'],
    ['models', 'README.md', '/help'],
    ['models', 'https://example.com/a.md', undefined],
    ['models', 'decisions/', undefined],
    ['models', '#prices', '/help/models#prices'],
    ['models', 'http://[', undefined],
  ]
  for (const [page, href, address] of links) assert.equal(helpAddress(page, href), address, href)
})

it('only pictures of the docs are shown', () => {
  assert.equal(helpPicture('which-one', 'which-one.svg'), '/help/which-one.svg')
  assert.equal(helpPicture('tasks/form', '../console/runs.png'), '/help/console/runs.png')
  for (const src of [
    'https://example.com/a.png',
    '//example.com/a.png',
    'data:image/png,a',
    'a.md',
  ])
    assert.equal(helpPicture('models', src), undefined, src)
})
