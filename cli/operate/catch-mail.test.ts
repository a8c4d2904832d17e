import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createTransport } from 'nodemailer'
import { muster, startMuster } from '../test-cli.ts'

it('catch-mail shows each mail that it receives, until it is stopped', async () => {
  const catcher = startMuster(['catch-mail', '--port', '0'])
  const [, port = ''] = await catcher.until(/MUSTER_SMTP_URL=smtp:\/\/127\.0\.0\.1:(\d+)/)
  const transport = createTransport({ host: '127.0.0.1', port: Number(port), ignoreTLS: true })
  const mail = {
    from: 'a@example.com',
    to: 'b@example.com',
    subject: 'News',
    text: 'Order\u202e 4711',
  }
  await transport.sendMail(mail)
  await catcher.until(/│ To: <b@example\.com>\n│ Subject: News\n│ \n│ Order\\u202e 4711\n/)
  const taken = await muster(['catch-mail', '--port', port])
  assert.equal(taken.code, 2)
  assert.match(taken.stderr, /Cannot receive mail on port \d+: .*EADDRINUSE/)
  catcher.kill('SIGINT')
  assert.equal((await catcher.finished).code, 0)
})
