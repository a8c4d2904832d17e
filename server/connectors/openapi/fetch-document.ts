import { OutboundError } from '../../outbound/outbound-error.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { decompress } from '../web/decompress.ts'

/** Why a document could not be read from its address, in words. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
}

export const maxDocumentBytes = 5 * 1024 * 1024
const timeoutMs = 20_000
const maxRedirects = 3

/** The text at an address; nothing secret is sent there. Throws `DocumentError`. */
export async function fetchDocument(outbound: Outbound, address: string): Promise<string> {
  let url = address
  try {
    for (let hops = 0; ; hops++) {
      const answer = await outbound.request(url, {
        method: 'GET',
        headers: {
          accept: 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5',
          'user-agent': 'Muster',
        },
        timeoutMs,
        maxResponseBytes: maxDocumentBytes,
        allowHttp: 'inside',
      })
      const { status, headers } = answer
      const { location } = headers
      if (status >= 300 && status < 400 && typeof location === 'string' && hops < maxRedirects) {
        const target = URL.parse(location, url)
        if (target === null) throw new DocumentError('it redirects to no address')
        target.hash = ''
        const refusal = await outbound.check(target.href, { allowHttp: 'inside' })
        if (refusal !== undefined)
          throw new DocumentError(`it redirects to an address that ${refusal}`)
        url = target.href
        continue
      }
      if (status < 200 || status >= 300) throw new DocumentError(`the server answered ${status}`)
      const coding = String(headers['content-encoding'] ?? '')
      const { body, truncated } = await decompress(answer, coding, maxDocumentBytes)
      if (truncated) throw new DocumentError('it has more than 5 MB')
      return body.toString('utf8')
    }
  } catch (error) {
    if (error instanceof DocumentError) throw error
    if (error instanceof OutboundError) throw new DocumentError(error.message)
    throw new DocumentError(`it ${error instanceof Error ? error.message : 'cannot be read'}`)
  }
}
