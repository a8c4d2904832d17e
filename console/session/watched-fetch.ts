/**
 * The browser's `fetch`, with upload progress for requests that were registered by their
 * idempotency key. `fetch` itself has no upload progress, so these requests use XMLHttpRequest.
 */
type Report = (sent: number) => void

const watched = new Map<string, Report>()

/** Reports the uploaded fraction, 0 to 1, until unsubscribed. */
export function watchUpload(idempotencyKey: string, report: Report): () => void {
  watched.set(idempotencyKey, report)
  return () => watched.delete(idempotencyKey)
}

export const watchedFetch: typeof fetch = (input, init) => {
  const key = new Headers(init?.headers).get('idempotency-key')
  const report = key === null ? undefined : watched.get(key)
  if (report === undefined || init === undefined || typeof input !== 'string') {
    return fetch(input, init)
  }
  return sendWatched(input, init, report)
}

function sendWatched(url: string, init: RequestInit, report: Report): Promise<Response> {
  const { method = 'GET', headers, body, signal } = init
  const request = new XMLHttpRequest()
  return new Promise((resolve, reject) => {
    request.open(method, url)
    new Headers(headers).forEach((value, name) => request.setRequestHeader(name, value))
    request.upload.addEventListener('progress', ({ loaded, total }) =>
      report(total === 0 ? 0 : loaded / total),
    )
    request.addEventListener('load', () => resolve(answerOf(request)))
    request.addEventListener('error', () => reject(new TypeError('The connection broke')))
    request.addEventListener('abort', () => reject(signal?.reason as Error))
    if (signal?.aborted === true) return reject(signal.reason as Error)
    signal?.addEventListener('abort', () => request.abort(), { once: true })
    request.send(body as XMLHttpRequestBodyInit)
  })
}

function answerOf(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split(/\r?\n/)
  const headers = lines.map((line) => {
    const at = line.indexOf(':')
    return [line.slice(0, at), line.slice(at + 1).trim()] as [string, string]
  })
  return new Response(request.responseText, { status: request.status, headers })
}
