import type { Outbound } from '../../outbound/outbound.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { version } from '../../version.ts'

export type OAuthFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const timeoutMs = 10_000
const maxAnswerBytes = 256 * 1024

/**
 * `fetch` for the addresses of a login, which servers choose: over the guarded transport, bounded in bytes and time. The
 * client library follows redirects within an origin; this follows none.
 */
export function createOAuthFetch(
  outbound: Pick<Outbound, 'check' | 'request'>,
  accountId: string,
): OAuthFetch {
  return async (url, init = {}) => {
    await checkAddress(outbound, String(url))
    const { status, headers, body, truncated } = await outbound.request(url, {
      method: init.method === 'POST' ? 'POST' : 'GET',
      headers: {
        'user-agent': `muster/${version}`,
        ...Object.fromEntries(new Headers(init.headers)),
      },
      ...(init.body != null && { body: String(init.body as string | URLSearchParams) }),
      timeoutMs,
      maxResponseBytes: maxAnswerBytes,
      accountId,
      allowHttp: 'inside',
    })
    if (truncated) {
      const host = new URL(url).host
      throw new OutboundError(
        'too_large',
        `${host} answered with more than ${maxAnswerBytes} bytes`,
      )
    }
    const shown = new Headers()
    for (const name of ['content-type', 'location', 'www-authenticate']) {
      const value = headers[name]
      if (typeof value === 'string') shown.set(name, value)
    }
    const isEmpty = [204, 205, 304].includes(status)
    return new Response(isEmpty ? null : new Uint8Array(body), { status, headers: shown })
  }
}

/** Throws for an address that Muster, or a person's browser, must not be sent to. */
export async function checkAddress(outbound: Pick<Outbound, 'check'>, url: string): Promise<void> {
  const refusal = await outbound.check(url, { allowHttp: 'inside' })
  if (refusal !== undefined) throw new OutboundError('refused_address', `its login's ${refusal}`)
}
