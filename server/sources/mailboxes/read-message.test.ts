import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { MailFilter } from './read-message.ts'
import { readMail, type Mail } from './read-source.ts'

const filter: MailFilter = {
  senders: null,
  require_authenticated: false,
  authserv_id: null,
  subject_contains: null,
  own: ['support@example.com'],
}

interface Given {
  headers?: string[]
  body?: string | Buffer
  more?: Partial<MailFilter>
}

async function read({ headers = [], body = 'Hello', more = {} }: Given): Promise<Mail> {
  const hasFrom = headers.some((one) => /^from:/i.test(one))
  const head = [...(hasFrom ? [] : ['From: Ada <ada@customer.example>']), ...headers]
  const source = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), Buffer.from(body)])
  return readMail(new Uint8Array(source), { ...filter, ...more })
}

const textOf = async (given: Given): Promise<string> => (await read(given)).data.text

describe('the text of a message', () => {
  it('is the HTML where the text part is blank', async () => {
    for (const blank of ['', ' \r\n\t', '\u00a0\u200b']) {
      const body = [
        '--x',
        'Content-Type: text/plain; charset=utf-8',
        '',
        blank,
        '--x',
        'Content-Type: text/html',
        '',
        '<p>Where is it?</p>',
        '--x--',
      ].join('\r\n')
      const headers = ['Content-Type: multipart/alternative; boundary=x']
      assert.equal(await textOf({ headers, body }), 'Where is it?')
    }
  })

  it('is read as windows-1252 where it is no UTF-8 and names nothing else', async () => {
    const body = Buffer.from('M\xfcller, 5 \x80', 'latin1')
    for (const headers of [
      [],
      ['Content-Type: text/plain'],
      ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit'],
      ['Content-Type: text/html; charset=us-ascii'],
    ]) {
      assert.equal(await textOf({ headers, body }), 'Müller, 5 €', String(headers[0]))
    }
    const cyrillic = { headers: ['Content-Type: text/plain; charset=koi8-r'], body }
    assert.equal(await textOf(cyrillic), 'MЭller, 5 ─')
    const file = ['Content-Type: application/octet-stream', 'Content-Transfer-Encoding: binary']
    const { attachments } = await read({ headers: file, body })
    assert.equal(Buffer.from(attachments[0]?.bytes ?? []).indexOf(body), 0)
  })

  it('is read as what its bytes are, whatever it says', async () => {
    const text = 'Grüße 😀'
    const type = (value: string) => [`Content-Type: ${value}`, 'Content-Transfer-Encoding: 8bit']
    const base64 = (value: string) => [
      `Content-Type: ${value}`,
      'Content-Transfer-Encoding: base64',
    ]
    const little = Buffer.from(`\ufeff${text}`, 'utf16le')
    const big = Buffer.from(little).swap16()
    for (const [headers, body] of [
      [type('text/plain; charset=us-ascii'), text],
      [type('text/plain; charset="US-ASCII"'), text],
      [type('text'), text],
      [type('TEXT; charset=utf-8'), text],
      [type(`text/plain; charset="'utf-8'"`), text],
      [base64('text/plain; charset=utf-16'), big.toString('base64')],
      [base64('text/plain; charset=utf-16'), little.toString('base64')],
      [[], text],
    ] as const) {
      assert.equal(await textOf({ headers: [...headers], body }), text, String(headers[0]))
    }
    const latin = Buffer.from('Gr\xfc\xdfe', 'latin1')
    for (const charset of ['us-ascii', 'iso-8859-1', `"'iso-8859-1'"`]) {
      const headers = type(`text/plain; charset=${charset}`)
      assert.equal(await textOf({ headers, body: latin }), 'Grüße', charset)
    }
    const html = await textOf({
      headers: type('text/html; charset=us-ascii'),
      body: `<p>${text}</p>`,
    })
    assert.equal(html, text)
  })

  it('is cut by bytes, so that the data of the run fits', async () => {
    const many = Array.from({ length: 60 }, (_, n) => `${'ü'.repeat(60)}${n}@example.com`).join(
      ', ',
    )
    for (const character of ['😀', '界', '\n"', 'a']) {
      const headers = [`To: ${many}`, `Cc: ${many}`, `Reply-To: ${many}`]
      const { data } = await read({ headers, body: `x${character.repeat(40_000)}x` })
      const bytes = Buffer.byteLength(JSON.stringify(data))
      assert.ok(bytes <= 57_000, `${character}: ${bytes}`)
      assert.ok(data.text_cut && data.text.isWellFormed() && data.text.length > 10_000, character)
    }
    const short = await read({ body: '界'.repeat(16_000) })
    assert.deepEqual([short.data.text.length, short.data.text_cut], [16_000, false])
  })
})

describe('a message', () => {
  it('says where answers go, and starts a run if a no-reply address has such a place', async () => {
    const headers = ['From: Shop <no-reply@shop.example>', 'Reply-To: Ada <ada@customer.example>']
    const answered = await read({ headers })
    assert.deepEqual([answered.ignored, answered.data.reply_to], [null, ['ada@customer.example']])
    for (const replyTo of ['noreply@shop.example', 'Support@example.com']) {
      const { ignored } = await read({ headers: [headers[0] ?? '', `Reply-To: ${replyTo}`] })
      assert.equal(ignored, 'Its sender accepts no replies', replyTo)
    }
    const plain = await read({})
    assert.deepEqual([plain.ignored, plain.data.reply_to], [null, []])
    const daemon = ['From: mailer-daemon@shop.example', 'Reply-To: ada@customer.example']
    assert.equal((await read({ headers: daemon })).ignored, 'Its sender accepts no replies')
  })

  it('is automatic by its type, not by a comment', async () => {
    for (const type of [
      'multipart/report; report-type=delivery-status; boundary=x',
      'Multipart/Report; report-type=disposition-notification; boundary=x',
      'message/disposition-notification',
    ]) {
      const { ignored } = await read({ headers: [`Content-Type: ${type}`] })
      assert.equal(ignored, 'It is a delivery or read report', type)
    }
    for (const value of ['no', 'No (by hand)', 'no; x=1', '(a comment) no']) {
      assert.equal((await read({ headers: [`Auto-Submitted: ${value}`] })).ignored, null, value)
    }
    for (const value of ['auto-replied', 'auto-generated (no)', 'no-one']) {
      const { ignored } = await read({ headers: [`Auto-Submitted: ${value}`] })
      assert.equal(ignored, 'It is an automatic message', value)
    }
  })

  it('is from a domain in either of its spellings', async () => {
    for (const domain of ['münchen.example', 'xn--mnchen-3ya.example', 'MÜNCHEN.example']) {
      for (const sender of ['@münchen.example', '@xn--mnchen-3ya.example', 'ada@münchen.example']) {
        const headers = [`From: ada@${domain}`]
        const { ignored } = await read({ headers, more: { senders: [sender] } })
        assert.equal(ignored, null, `${domain} ${sender}`)
      }
      const own = { own: ['ada@münchen.example'] }
      const { ignored } = await read({ headers: [`From: ada@${domain}`], more: own })
      assert.equal(ignored, 'It is from the mailbox or its own sender')
    }
    const other = await read({
      headers: ['From: ada@munchen.example'],
      more: { senders: ['@münchen.example'] },
    })
    assert.match(other.ignored ?? '', /not among/)
  })
})

it('reads a subject whose encoded words split a character, and the addresses of a group', async () => {
  const words = '=?utf-8?B?4oI=?=\r\n =?UTF-8?b?rCA1?='
  const headers = [
    `Subject: ${words} =?iso-8859-1?B?/A==?=`,
    'To: team: a@x.example, Bo <b@x.example>;, c@x.example',
    'Cc: undisclosed-recipients:;',
  ]
  const { subject, data } = await read({ headers })
  assert.equal(subject, '€ 5ü')
  assert.deepEqual(data.to, ['a@x.example', 'b@x.example', 'c@x.example'])
  assert.deepEqual(data.cc, [])
})
