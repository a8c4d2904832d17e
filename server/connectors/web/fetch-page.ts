import { DomainError } from '../../errors.ts'
import type { OutboundResponse } from '../../outbound/guarded-transport.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { visibleText } from '../../safe-text.ts'
import type { CallContext } from '../../tools/connector.ts'
import type { ToolResult } from '../../tools/contract.ts'
import { defineTask, type Caller } from '../../sandbox/sandbox.ts'
import { TaskEnded } from '../../sandbox/thread.ts'
import { maxPageBytes, mediaTypeOf } from './page-text.ts'
import type * as tasks from './page-text.ts'

const readPage = defineTask<typeof tasks.readPage>({
  line: 'long',
  from: import.meta.url,
  file: './page-text',
  name: 'readPage',
  maxMs: 5_000,
  maxMb: 128,
})

const maxRedirects = 5
const timeoutMs = 10_000

/** Reads a page as text, within 10 s including redirects. */
export async function fetchPage(
  {
    accountId,
    outbound,
    sandbox,
    readFetchHosts,
  }: Pick<CallContext, 'accountId' | 'outbound' | 'sandbox' | 'readFetchHosts'>,
  address: string,
  signal: AbortSignal,
): Promise<ToolResult> {
  const fetchHosts = await readFetchHosts()
  const endsAt = performance.now() + timeoutMs
  // A fragment is never sent.
  let url = address.split('#')[0] ?? ''
  try {
    for (let hops = 0; ; hops++) {
      const host = refusedHost(url, fetchHosts)
      if (host !== undefined) {
        const why = `the policies of the account do not allow web.fetch to reach ${shown(host)}`
        return failed(`Cannot fetch ${shown(url)}: ${why}`)
      }
      // A readable error for the address; the transport checks again at each connection.
      const refusal = await outbound.check(url, { allowHttp: true })
      if (refusal !== undefined) return failed(`Cannot fetch ${shown(url)}: url ${refusal}`)
      const answer = await outbound.request(url, {
        method: 'GET',
        headers: { accept: 'text/html, text/plain;q=0.9, */*;q=0.1', 'user-agent': 'Muster' },
        signal,
        timeoutMs: Math.max(1, endsAt - performance.now()),
        maxResponseBytes: maxPageBytes,
        allowHttp: true,
      })
      const next = redirectOf(answer, url)
      if (next === undefined)
        return await read({ accountId, sandbox, action: 'fetch the page' }, answer, url)
      if (hops === maxRedirects) {
        return failed(`Cannot fetch ${shown(address)}: more than ${maxRedirects} redirects`)
      }
      url = next
    }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    const late =
      error.kind === 'timeout' ? `no whole answer within ${timeoutMs / 1000} s` : undefined
    return failed(`Cannot fetch ${shown(url)}: ${late ?? error.message}`)
  }
}

/** The host of an address if it is not allowed. */
function refusedHost(url: string, allowed: readonly string[] | null): string | undefined {
  const host = hostOf(url)
  if (allowed === null || host === undefined) return undefined
  const isAllowed = allowed.some((entry) => {
    const isBelow = entry.startsWith('*.')
    const name = hostOf(`http://${isBelow ? entry.slice(2) : entry}`)
    return name !== undefined && (isBelow ? host.endsWith(`.${name}`) : host === name)
  })
  return isAllowed ? undefined : host
}

/** The host as it is looked up: lower case, Punycode, without a trailing dot. */
function hostOf(url: string): string | undefined {
  return URL.parse(url)?.hostname.replace(/\.$/, '')
}

function redirectOf({ status, headers }: OutboundResponse, url: string): string | undefined {
  const { location } = headers
  if (![301, 302, 303, 307, 308].includes(status) || typeof location !== 'string') return undefined
  const next = URL.parse(location, url)
  if (next === null) return undefined
  // Browsers do not send it.
  next.hash = ''
  return next.href
}

async function read(
  caller: Caller,
  { status, headers, ...sent }: OutboundResponse,
  url: string,
): Promise<ToolResult> {
  if (status < 200 || status >= 300)
    return failed(`Cannot fetch ${shown(url)}: it answered ${status}`)
  const contentType = String(headers['content-type'] ?? '')
  const type = mediaTypeOf(contentType)
  const isHtml = type === 'text/html' || type === 'application/xhtml+xml'
  if (!isHtml && !isText(type)) {
    const found =
      type === '' ? 'it names no content type' : `it is ${visibleText(type).slice(0, 100)}`
    return failed(`Cannot fetch ${shown(url)}: ${found}, expected text`)
  }
  const page = await readPage(caller, {
    body: sent.body,
    truncated: sent.truncated,
    // Some servers compress although uncompressed content was requested.
    encoding: String(headers['content-encoding'] ?? ''),
    contentType,
    url,
  }).catch((error: unknown) => {
    if (!(error instanceof TaskEnded) && !(error instanceof DomainError)) throw error
    return { kind: 'failed', why: `it cannot be read: ${error.message}` } as const
  })
  if (page.kind === 'failed') return failed(`Cannot fetch ${shown(url)}: ${page.why}`)
  const cut = page.isCut ? '\n\n[The page is longer; the rest was left out.]' : ''
  return { status: 'succeeded', output: `${shown(url)}\n\n${page.text}${cut}` }
}

function isText(type: string): boolean {
  return (
    type.startsWith('text/') ||
    /^application\/(json|xml|yaml|javascript|ld\+json|rss\+xml|atom\+xml)$/.test(type) ||
    /\+(json|xml|yaml)$/.test(type)
  )
}

function failed(output: string): ToolResult {
  return { status: 'failed', output }
}

function shown(url: string): string {
  return visibleText(url).slice(0, 300)
}
