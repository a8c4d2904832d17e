import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { it } from 'node:test'
import { startTestApp } from '../../test/test-app.ts'

const maxFileBytes = 32 * 1024 * 1024
const end = '\r\n--x--\r\n'
const piece = Buffer.alloc(1024 * 1024, 'a')

it('a body that is refused before its end is read to its end, so its sender reads the answer', async () => {
  await using app = await startTestApp({ role: 'api' })
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  let answers = ''
  socket.setEncoding('utf8').on('data', (text: string) => (answers += text))
  const send = async (bytes: number): Promise<void> => {
    const part = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
    socket.write(
      `POST /v1/files HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${app.key}\r\n` +
        `content-type: multipart/form-data; boundary=x\r\ncontent-length: ${part.length + bytes + end.length}\r\n\r\n${part}`,
    )
    for (let left = bytes; left > 0; left -= piece.length) {
      if (!socket.write(piece.subarray(0, left))) await once(socket, 'drain')
    }
    socket.write(end)
  }
  // The first is refused by its Content-Length, the second once the file turns out to be too large.
  await send(maxFileBytes + 3 * piece.length)
  await send(maxFileBytes + 1024)
  socket.write('GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await once(socket, 'close')
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), [
    'HTTP/1.1 413',
    'HTTP/1.1 413',
    'HTTP/1.1 200',
  ])
})
