/**
 * A POST without a response may have been executed. Pressing the button again means the same
 * request, so it is sent with the same idempotency key until there is a response: nothing is
 * created twice.
 */
const keys = new Map<string, string>()
const mostKept = 20

const name = 'idempotency-key'

export function keepingKeys(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    const { method, body = '' } = init ?? {}
    const headers = new Headers(init?.headers)
    const given = headers.get(name)
    const isOurs = typeof input === 'string' && typeof body === 'string' && method === 'POST'
    if (!isOurs || given === null) return send(input, init)
    const request = `${input} ${body}`
    const key = keys.get(request) ?? given
    headers.set(name, key)
    try {
      const response = await send(input, { ...init, headers })
      if (response.ok) keys.delete(request)
      else if (response.status >= 500) keep(request, key)
      return response
    } catch (error) {
      keep(request, key)
      throw error
    }
  }
}

function keep(request: string, key: string): void {
  keys.set(request, key)
  const [oldest] = keys.keys()
  if (keys.size > mostKept && oldest !== undefined) keys.delete(oldest)
}
