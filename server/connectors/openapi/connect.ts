import type { Context } from '../../context.ts'
import { cannot } from '../../errors.ts'
import { findStored, store } from '../http/connect.ts'
import type { HttpConnection } from '../http/connection.ts'
import { checkBaseUrl, readLogin } from '../http/login.ts'
import type { ConnectOpenApi } from '../http/schema.ts'
import type { Connector } from '../schema.ts'
import { DocumentError, fetchDocument } from './fetch-document.ts'
import { pinOperations, readApi, readHead, type ReadApi } from './operations.ts'

/**
 * Connectors of the kind `openapi`: their actions are operations of a document. The document itself
 * is not stored; each picked operation is pinned with its arguments and its request, and stays as
 * it is until an admin connects the connector again.
 */
export async function connectOpenApi(
  ctx: Context,
  id: string,
  input: ConnectOpenApi,
): Promise<Connector> {
  const { operations: pick, safe, base_url: given } = input
  if (pick?.only !== undefined && pick.except !== undefined) {
    const why = 'operations has both only and except, give one of them'
    throw cannot(ctx, 'invalid_value', why, { param: 'operations' })
  }
  if (input.document !== undefined && input.document_url !== undefined) {
    const why = 'there are both document and document_url, give one of them'
    throw cannot(ctx, 'invalid_value', why, { param: 'document' })
  }
  const stored = await findStored(ctx, id)
  const keptUrl = input.document === undefined ? stored?.connection?.document_url : undefined
  const documentUrl = input.document_url ?? keptUrl
  const text = await readText(ctx, input.document, documentUrl)
  if (given !== undefined) await checkBaseUrl(ctx, given)
  // The base address decides which login is kept, and the login which parameters are offered.
  const baseUrl = given ?? baseOf(ctx, await readHead(ctx, text), documentUrl)
  if (given === undefined) await checkBaseUrl(ctx, baseUrl, "the document's server, as base_url,")
  const { isKept, ...login } = await readLogin(ctx, input, baseUrl, stored?.connection)
  const api = await readApi(ctx, text, pick, login)
  const connection: HttpConnection = {
    base_url: baseUrl,
    ...login,
    ...(documentUrl !== undefined && { document_url: documentUrl }),
  }
  const document = {
    origin: documentUrl === undefined ? null : new URL(documentUrl).origin,
    title: api.title,
    version: api.version,
    operations: api.total,
  }
  const { tools, safe_tools } = pinOperations(ctx, api, { pick, safe })
  const described = { kind: 'openapi' as const, id, label: input.label ?? null }
  const row = { ...described, safe_tools, picked: pick ?? null, tools }
  const keepsSecret = isKept || (keptUrl !== undefined && input.document_url === undefined)
  return store(ctx, stored, keepsSecret, connection, row, document)
}

async function readText(
  ctx: Context,
  document: ConnectOpenApi['document'],
  documentUrl: string | undefined,
): Promise<string> {
  if (document !== undefined) {
    return typeof document === 'string' ? document : JSON.stringify(document)
  }
  if (documentUrl === undefined) {
    const why = 'document or document_url is required'
    throw cannot(ctx, 'required', why, { param: 'document' })
  }
  const refusal = await ctx.outbound.check(documentUrl, { allowHttp: 'inside' })
  const param = 'document_url'
  if (refusal !== undefined) throw cannot(ctx, 'invalid_url', `${param} ${refusal}`, { param })
  try {
    return await fetchDocument(ctx.outbound, documentUrl)
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error
    const why = `the document cannot be read: ${error.message}`
    throw cannot(ctx, 'connector_refused', why, { param })
  }
}

/** The first server of a document, relative to the document's own address. */
function baseOf(ctx: Context, { server }: ReadApi, documentUrl: string | undefined): string {
  const url = URL.parse(server ?? (documentUrl === undefined ? '' : '/'), documentUrl)
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && !/[{}]|%7B/i.test(url.href)
  if (isUsable) {
    url.search = ''
    url.hash = ''
    return url.href.replace(/\/$/, '')
  }
  const why = 'base_url is required: the document names no server with an address of its own'
  throw cannot(ctx, 'required', why, { param: 'base_url' })
}
