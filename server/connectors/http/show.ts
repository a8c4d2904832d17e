import { showState } from '../../db/connection-state.ts'
import { versionOfTool } from '../../tools/contract.ts'
import type { Connector } from '../schema.ts'
import { whyRefused } from './open-tool.ts'
import type { HttpTool } from './pinned.ts'
import type { HttpRow } from './row.ts'

/** An HTTP API as the API shows it, without secrets. */
export function showHttp(row: HttpRow): Connector {
  const { id, kind, settings, safe_tools: safe } = row
  const offered = row.tools.filter(({ unpicked }) => unpicked !== true)
  return {
    id,
    label: row.label ?? id,
    kind,
    connected: true,
    stored: true,
    ...showState(row),
    actions: offered.map((tool) => ({
      id: `${id}.${tool.name}`,
      description: tool.description,
      input_schema: tool.input_schema,
      sensitive: !safe.includes(tool.name),
      version: versionOfTool(tool.hash, row.version),
      unavailable: whyRefused(row, tool) ?? null,
      ...(tool.request && {
        method: tool.request.method,
        path: tool.request.path,
        safe: safe.includes(tool.name),
        ...(kind === 'http' && showPlaces(tool.request)),
      }),
    })),
    base_url: settings.base_url,
    auth: settings.auth as NonNullable<Connector['auth']>,
    header_names: row.header_names,
    ...(kind === 'openapi' && showDocument(row)),
  }
}

function showPlaces({ places, body }: NonNullable<HttpTool['request']>) {
  const query = places.flatMap((place) => (place.in === 'query' ? [place.argument] : []))
  const kind = body?.kind === 'json' || body?.kind === 'form' ? body.kind : ('none' as const)
  return { query, body: kind }
}

function showDocument({ id, settings, picked, safe_tools: safe, tools, ...row }: HttpRow) {
  const { document } = settings
  const listed = tools.map((tool) => {
    const { name, method, path } = tool.operation ?? { name: tool.name, method: '', path: '' }
    return {
      name,
      action: `${id}.${tool.name}`,
      method,
      path,
      description: tool.description,
      picked: tool.unpicked !== true,
      available: tool.refused === undefined,
      ...(tool.refused !== undefined && { reason: tool.refused }),
      safe: safe.includes(tool.name),
    }
  })
  return {
    ...(document && { document }),
    ...(picked !== null && { operations: picked }),
    safe: listed.filter((one) => one.safe).map(({ name }) => name),
    listed_operations: listed,
    changed_tools: row.changed_tools,
    changes: row.changes,
  }
}
