import type { Context } from '../../context.ts'
import { cannot } from '../../errors.ts'
import { openSecret } from '../secret.ts'
import { authFields, type Auth, type HttpConnection } from './connection.ts'
import type { ConnectHttp } from './schema.ts'
import type { HttpRow } from './row.ts'

/** The stored connection; undefined if there is none or it cannot be decrypted. */
export function openConnection(
  { secrets }: Pick<Context, 'secrets'>,
  accountId: string,
  row: Pick<HttpRow, 'id' | 'secret'>,
): HttpConnection {
  return openSecret(secrets, accountId, row) as unknown as HttpConnection
}

/**
 * The login and the headers of a new connection. What is left out is kept while the origin of the
 * base address stays the same, so that an admin cannot have a stored secret sent to another server.
 */
export async function readLogin(
  ctx: Context,
  { auth, headers }: Pick<ConnectHttp, 'auth' | 'headers'>,
  baseUrl: string,
  stored: HttpConnection | undefined,
): Promise<{ auth: Auth; headers: Record<string, string>; isKept: boolean }> {
  const isSame = stored !== undefined && new URL(stored.base_url).origin === new URL(baseUrl).origin
  const kept = isSame ? stored : undefined
  const login = {
    auth:
      auth === undefined ? (kept?.auth ?? { type: 'none' as const }) : await readAuth(ctx, auth),
    headers: headers ?? kept?.headers ?? {},
  }
  checkHeaders(ctx, login.headers)
  return { ...login, isKept: kept !== undefined && (auth === undefined || headers === undefined) }
}

async function readAuth(ctx: Context, auth: NonNullable<ConnectHttp['auth']>): Promise<Auth> {
  const { type } = auth
  const { required, optional }: { required: readonly string[]; optional: readonly string[] } =
    authFields[type]
  const given = new Map<string, unknown>(Object.entries(auth))
  for (const name of required) {
    if (given.has(name)) continue
    const param = `auth.${name}`
    throw cannot(ctx, 'required', `${param} is required with the type ${type}`, { param })
  }
  for (const name of given.keys()) {
    if (name === 'type' || required.includes(name) || optional.includes(name)) continue
    const param = `auth.${name}`
    const fields = [...required, ...optional].join(', ') || 'no other field'
    throw cannot(
      ctx,
      'unknown_field',
      `${param} does not belong to the type ${type}, expected ${fields}`,
      { param },
    )
  }
  if (auth.type === 'header') checkHeaders(ctx, { [auth.name ?? '']: '' }, 'auth.name')
  if (auth.type === 'oauth2') {
    const refusal = await ctx.outbound.check(auth.token_url ?? '', { allowHttp: 'inside' })
    if (refusal !== undefined) {
      const param = 'auth.token_url'
      throw cannot(ctx, 'invalid_url', `${param} ${refusal}`, { param })
    }
  }
  return auth as Auth
}

/** Headers that the transport and Muster set themselves. */
const reserved =
  /^(?:host|connection|upgrade|transfer-encoding|te|trailer|keep-alive|proxy-.*|accept-encoding|content-.*|idempotency-key)$/i

function checkHeaders(ctx: Context, headers: Record<string, string>, place?: string): void {
  for (const name of Object.keys(headers)) {
    const param = place ?? `headers.${name}`
    if (!/^[A-Za-z0-9_-]{1,100}$/.test(name)) {
      throw cannot(ctx, 'invalid_format', `${param} is no name of a header`, { param })
    }
    if (!reserved.test(name)) continue
    throw cannot(ctx, 'invalid_value', `${param} is ${name}, which Muster sets itself`, { param })
  }
}

/** Why a base address is refused, thrown with the name of its field. */
export async function checkBaseUrl(ctx: Context, url: string, what = 'base_url'): Promise<void> {
  const refusal = await ctx.outbound.check(url, { allowHttp: 'inside' })
  const why =
    refusal ?? (url.includes('?') ? 'has a query, expected an address without ?' : undefined)
  if (why === undefined) return
  throw cannot(ctx, 'invalid_url', `${what} ${why}`, { param: 'base_url' })
}
