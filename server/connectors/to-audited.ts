import type { StoredConnector } from './store.ts'

/** What the audit tells of a connector: no credentials, no addresses but the origin. */
export function toAudited(connector: StoredConnector): object {
  if (connector.kind === 'builtin') return { kind: 'builtin' }
  const { kind, url, header_names, safe_tools, tools } = connector
  return { kind, url, header_names, safe_tools, tools: tools.map(({ name }) => name) }
}
