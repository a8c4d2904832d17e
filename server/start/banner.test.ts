import assert from 'node:assert/strict'
import { it } from 'node:test'
import { banner } from './banner.ts'

it('names what a person needs next, each on a line', () => {
  const none = { setupLink: undefined, adminKey: undefined, keyFile: undefined }
  const first = banner({
    url: 'http://127.0.0.1:3000',
    setupLink: 'http://127.0.0.1:3000/setup#once',
    adminKey: 'mst_key',
    keyFile: '.muster/admin-key',
  })
  assert.match(first, /^ {2}Console {8}http:\/\/127\.0\.0\.1:3000$/m)
  assert.match(first, /^ {2}First admin {4}http:\S+#once {2}\(valid once within 15 minutes\)$/m)
  assert.match(first, /^ {2}Admin key {6}mst_key {2}\(kept in \.muster\/admin-key\)$/m)
  assert.doesNotMatch(banner({ url: 'http://x', ...none }), /key|First admin/)
  assert.match(banner({ url: undefined, ...none }), /The worker is running[^]*Ctrl-C/)
})
