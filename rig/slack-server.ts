import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { closeServer, listenOnLoopback } from './loopback.ts'

/**
 * A server on loopback with the part of Slack's Web API that Muster uses; it stores the messages.
 */
export interface SlackServer extends AsyncDisposable {
  url: string
  messages: SlackPosted[]
  /** Email addresses by user id. */
  users: Map<string, string>
  /** Responses that replace the usual ones, by method. */
  answers: Map<string, object>
  /** Channels whose messages get no response. */
  silent: Set<string>
  /** Channels that take no messages. */
  archived: Set<string>
  calls: { method: string; body: SlackPosted }[]
}

export interface SlackPosted {
  channel: string
  ts: string
  text: string
  blocks: { type: string; elements?: { action_id: string; value?: string; url?: string }[] }[]
  thread_ts?: string
  /** Earlier versions of an updated message. */
  earlier: { text: string; blocks: unknown[] }[]
  /** Of an ephemeral message: the user who sees it. */
  user?: string
}

export const slackToken = 'xoxb-of-the-rig'
export const slackSigningSecret = 'signing-secret-of-the-rig'

export async function startSlackServer(): Promise<SlackServer> {
  const messages: SlackPosted[] = []
  const users = new Map<string, string>()
  const answers = new Map<string, object>()
  const silent = new Set<string>()
  const archived = new Set<string>()
  const calls: SlackServer['calls'] = []
  let count = 0

  const methods: Record<string, (body: SlackPosted, query: URLSearchParams) => object> = {
    'auth.test': () => ({ ok: true, user: 'muster', team: 'Rig' }),
    'chat.postMessage': ({ channel, text, blocks, thread_ts }) => {
      if (archived.has(channel)) return { ok: false, error: 'is_archived' }
      const ts = `1700000000.${String(++count).padStart(6, '0')}`
      const posted = { channel: `C-${channel}`, ts, text, blocks, earlier: [] }
      messages.push({ ...posted, ...(thread_ts !== undefined && { thread_ts }) })
      return { ok: true, channel: `C-${channel}`, ts }
    },
    'chat.postEphemeral': ({ channel, text, user }) => {
      messages.push({ channel, ts: '', text, blocks: [], earlier: [], ...(user && { user }) })
      return { ok: true }
    },
    'chat.update': ({ channel, ts, text, blocks }) => {
      const found = messages.find((one) => one.ts === ts && one.channel === channel)
      if (found === undefined) return { ok: false, error: 'message_not_found' }
      found.earlier.push({ text: found.text, blocks: found.blocks })
      Object.assign(found, { text, blocks })
      return { ok: true, channel, ts }
    },
    'users.info': (_body, query) => {
      const email = users.get(query.get('user') ?? '')
      return email === undefined
        ? { ok: false, error: 'user_not_found' }
        : { ok: true, user: { profile: { email } } }
    },
  }

  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '', 'http://slack')
      const method = url.pathname.replace('/api/', '')
      const given: SlackPosted = body === '' ? {} : JSON.parse(body)
      calls.push({ method, body: given })
      if (silent.has(given.channel)) return
      const isKnown = request.headers.authorization === `Bearer ${slackToken}`
      const answer = isKnown
        ? (answers.get(method) ?? methods[method]?.(given, url.searchParams))
        : { ok: false, error: 'invalid_auth' }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? { ok: false, error: 'unknown_method' }))
    })
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    messages,
    users,
    answers,
    silent,
    archived,
    calls,
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

/** Headers of a request that Slack signs: https://docs.slack.dev/authentication/verifying-requests-from-slack. */
export function signAsSlack(
  body: string,
  { secret = slackSigningSecret, at = Math.floor(Date.now() / 1_000) } = {},
): Record<string, string> {
  const mac = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')
  return {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': String(at),
    'x-slack-signature': `v0=${mac}`,
  }
}
