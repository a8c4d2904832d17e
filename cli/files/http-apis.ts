import type { Connector } from '../../sdk/index.ts'
import type { Fields } from './plan.ts'

/**
 * HTTP APIs in files: what an admin describes, by the connector's id. Login, headers and the address
 * of a document stay on the server, because they are secret or may be; a login is given once with
 * `muster connectors connect`, and applying files keeps it.
 */
export const httpApiFields = [
  'id',
  'kind',
  'label',
  'base_url',
  'actions',
  'document',
  'document_url',
  'operations',
  'safe',
]

/** The connector as a file has it; undefined for kinds that files do not describe. */
export function toFileForm(connector: Connector): (Fields & { id: string }) | undefined {
  const { id, kind, label, base_url } = connector
  if (kind !== 'http' && kind !== 'openapi') return undefined
  const fields = { id, kind, ...(label !== id && { label }), base_url }
  if (kind === 'http') return { ...fields, actions: connector.actions.map(toAction) }
  const { operations, safe = [], listed_operations: listed = [] } = connector
  const isRead = new Set(
    listed.filter(({ method }) => method === 'GET' || method === 'HEAD').map(({ name }) => name),
  )
  const marked = safe.filter((name) => !isRead.has(name))
  return {
    ...fields,
    ...(operations !== undefined && { operations }),
    ...(marked.length > 0 && { safe: marked }),
  }

  function toAction(action: Connector['actions'][number]): Fields {
    const { method, path, query = [], body, safe } = action
    const isReading = method === 'GET' || method === 'HEAD'
    const usual = method === 'POST' || method === 'PUT' || method === 'PATCH' ? 'json' : 'none'
    return {
      name: action.id.slice(id.length + 1),
      description: action.description,
      method,
      path,
      input_schema: action.input_schema,
      ...(query.length > 0 && { query }),
      ...(body !== usual && { body }),
      ...(safe !== isReading && { safe }),
    }
  }
}
