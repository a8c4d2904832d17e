import { connect, type Socket } from 'node:net'

/**
 * A kept-alive HTTP connection for a load client, with hand-written requests, one at a time, so
 * that the client uses little of the CPU that it shares with the measured service.
 */
export interface Connection {
  send(
    method: string,
    path: string,
    body?: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; body: string }>
  close(): void
}

/** `headers` are sent with every request. */
export async function openConnection(
  url: string,
  headers: Record<string, string> = {},
): Promise<Connection> {
  const { hostname, port, host } = new URL(url)
  const common = toLines({ host, ...headers })
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  socket.setEncoding('utf8')
  await new Promise<void>((resolve, reject) =>
    socket.once('connect', resolve).once('error', reject),
  )
  return {
    send(method, path, body = '', own = {}) {
      const answer = readAnswer(socket)
      const lines = common + toLines({ ...own, 'content-length': `${Buffer.byteLength(body)}` })
      socket.write(`${method} ${path} HTTP/1.1\r\n${lines}\r\n${body}`)
      return answer
    },
    close: () => socket.destroy(),
  }
}

function toLines(headers: Record<string, string>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
}

/** Reads one response, which must have a content length. */
function readAnswer(socket: Socket): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    let text = ''
    const read = (part: string): void => {
      text += part
      const headEnd = text.indexOf('\r\n\r\n')
      if (headEnd < 0) return
      const length = Number(/\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd))?.[1])
      const body = text.slice(headEnd + 4)
      // Texts beyond ASCII have more bytes than characters.
      if (body.length < length && Buffer.byteLength(body) < length) return
      stop()
      resolve({ status: Number(text.slice(9, 12)), body })
    }
    const fail = (): void => {
      stop()
      reject(new Error(`The connection ended in the middle of an answer: ${text.slice(0, 500)}`))
    }
    const stop = (): void => void socket.off('data', read).off('close', fail)
    socket.on('data', read).on('close', fail)
  })
}
