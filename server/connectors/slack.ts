import Type, { type Static } from 'typebox'
import type { ToolResult } from '../tools/contract.ts'
import { callApi, textField, type ApiAnswer } from '../tools/call-api.ts'
import { defineAction, defineConnector, Token, type CallContext } from '../tools/connector.ts'

/**
 * Slack's Web API with a bot token: https://docs.slack.dev/reference/methods/chat.postMessage. It
 * answers 200 with `ok: false` for errors, so the status alone means nothing.
 */
const Credentials = Type.Object(
  {
    token: Token(500, 'Bot token of a Slack app with the scope chat:write, `xoxb-…`.'),
  },
  { $id: 'SlackCredentials', additionalProperties: false, description: 'How Slack is reached.' },
)
export type SlackCredentials = Static<typeof Credentials>
type Credentials = SlackCredentials

const postMessage = defineAction({
  name: 'post_message',
  description: 'Posts a message to a Slack channel that the app is a member of.',
  sensitive: true,
  input: {
    channel: Type.String({
      minLength: 1,
      maxLength: 100,
      description: 'Channel id such as C0123456789, or name such as #sales.',
    }),
    text: Type.String({
      minLength: 1,
      maxLength: 12_000,
      description: "The message, in Slack's mrkdwn.",
    }),
    thread_ts: Type.Optional(
      Type.String({
        maxLength: 50,
        description: '`ts` of the message whose thread it goes to.',
      }),
    ),
  },
  call: async (input, context: CallContext<Credentials>, { signal }) => {
    const answer = await callSlack(context, 'chat.postMessage', input, signal)
    const refusal = refusalOf(answer)
    if (refusal !== undefined) return refusal
    const { body } = answer as Extract<ApiAnswer, { ok: true }>
    const channel = textField(body, 'channel') ?? input.channel
    return { status: 'succeeded', output: `Posted to ${channel}, ts ${textField(body, 'ts')}.` }
  },
})

export const slack = defineConnector({
  id: 'slack',
  label: 'Slack',
  api: { url: 'https://slack.com', variable: 'SLACK_BASE_URL' },
  credentials: Credentials,
  labels: { token: 'Bot token' },
  actions: [postMessage],
  test: async (context) => {
    const answer = await callSlack(context, 'auth.test', undefined)
    const refusal = refusalOf(answer)
    if (refusal !== undefined) return { ok: false, message: refusal.output }
    const { body, headers } = answer as Extract<ApiAnswer, { ok: true }>
    const scopes = String(headers['x-oauth-scopes'] ?? '').split(',')
    if (headers['x-oauth-scopes'] !== undefined && !scopes.some((s) => s.trim() === 'chat:write')) {
      return { ok: false, message: 'The token lacks the scope chat:write; add it to the Slack app' }
    }
    const who = `${textField(body, 'user') ?? 'the app'} in ${textField(body, 'team') ?? 'Slack'}`
    return { ok: true, message: `Slack knows the token as ${who}` }
  },
})

/** Calls a method of the Web API; `refusalOf` says whether Slack accepted it. */
export function callSlack(
  context: CallContext<Credentials>,
  method: string,
  body: unknown,
  signal?: AbortSignal,
): Promise<ApiAnswer> {
  return callApi(context, {
    method: 'POST',
    connector: 'slack',
    path: `/api/${method}`,
    headers: { authorization: `Bearer ${context.credentials.token}` },
    ...(body === undefined ? {} : { body }),
    signal,
    name: 'Slack',
    isRead: body === undefined,
  })
}

export function refusalOf(answer: ApiAnswer): ToolResult | undefined {
  if (!answer.ok) {
    const hint = answer.httpStatus === 429 ? ': too many messages, try again later' : ''
    return { status: answer.status, output: answer.why + hint }
  }
  const { body } = answer
  if ((body as { ok?: unknown } | null)?.ok === true) return undefined
  const error = textField(body, 'error') ?? 'no reason given'
  // Errors after which the message may have been sent.
  const isUnclear = ['internal_error', 'fatal_error', 'request_timeout', 'service_unavailable']
  const status = isUnclear.includes(error) ? ('unknown' as const) : ('failed' as const)
  const hint = hints[error]
  return { status, output: `Slack refused: ${error}${hint === undefined ? '' : ` (${hint})`}` }
}

const hints: Record<string, string> = {
  invalid_auth: 'the token is not valid',
  not_authed: 'the token is not valid',
  token_revoked: 'the token was revoked',
  token_expired: 'the token expired',
  account_inactive: 'the app was removed from the workspace',
  missing_scope: 'the token lacks the scope chat:write',
  channel_not_found: 'no such channel, or the app cannot see it',
  not_in_channel: 'invite the app to the channel first',
  is_archived: 'the channel is archived',
  ratelimited: 'too many messages, try again later',
}
