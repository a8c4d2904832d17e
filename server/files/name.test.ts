import assert from 'node:assert/strict'
import { it } from 'node:test'
import { asAttachment, fileName } from './name.ts'

it('a name keeps its last part and nothing that is unseen or means something to a file system', () => {
  const cases: [given: string | undefined, name: string][] = [
    ['report.pdf', 'report.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\me\\Überblick 2026.csv', 'Überblick 2026.csv'],
    ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
    ['a\u200Bb\u0000c\nd.txt', 'abc d.txt'],
    ['..', 'file'],
    ['  ', 'file'],
    [undefined, 'file'],
    ['.env', 'env'],
    ['a<b>:"|?*.md', 'a_b______.md'],
    ['trailing. . ', 'trailing'],
    [`${'é'.repeat(300)}.pdf`, `${'é'.repeat(196)}.pdf`],
    [`${'x'.repeat(195)}😀.pdf`, `${'x'.repeat(195)}.pdf`],
    ['family 👨‍👩‍👧.png', 'family 👨‍👩‍👧.png'],
  ]
  for (const [given, name] of cases) {
    assert.equal(fileName(given), name)
    assert.equal(fileName(name), name)
  }
})

it('a name as long as a multipart header holds up nobody', () => {
  // Up to 80 KB: would the time grow with the square of a run of dots, this would take seconds.
  const beganAt = performance.now()
  assert.equal(fileName(`x${'. '.repeat(40_000)}x`).length, 200)
  assert.equal(fileName(`x${'.'.repeat(80_000)}`), 'x')
  assert.ok(performance.now() - beganAt < 500)
})

it('the header of a download has no way out of its quotes', () => {
  assert.equal(
    asAttachment(`a"b\\c 'é'.pdf`),
    `attachment; filename="a_b_c '_'.pdf"; filename*=UTF-8''a%22b%5Cc%20%27%C3%A9%27.pdf`,
  )
})
