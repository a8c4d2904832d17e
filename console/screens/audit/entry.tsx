import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AuditEntry } from '../../../sdk/generated.ts'
import { hasNamedObject, phraseOf } from '../../data/audit-words.ts'
import { Text } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'

const route = getRouteApi('/audit')

interface Props {
  entry: AuditEntry
  nameOf: (entry: AuditEntry) => string
}

/** One sentence: actor, action and object; expanded, the fields before and after. */
export function Entry({ entry, nameOf }: Props): ReactNode {
  const { actor, action, object, address, request_id: requestId, created_at: at } = entry
  return (
    <details>
      <summary className="flex items-baseline gap-x-4 px-4 py-2.5 text-sm hover:bg-hover">
        <span className="min-w-0 flex-1 wrap-anywhere">
          <span className="font-medium">{actorName(actor)}</span> {phraseOf(action)}{' '}
          {hasNamedObject(action) && <span>{nameOf(entry)}</span>}
        </span>
        <span className="shrink-0 text-ink-faint">
          <Ago at={at} />
        </span>
      </summary>
      <div className="grid gap-3 border-t bg-canvas px-4 py-3 text-sm">
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-ink-soft">
          <OpenObject entry={entry} />
          <Only name="object_id" value={object.id}>
            Everything about this object
          </Only>
          {actor.id !== null && (
            <Only name="actor_id" value={actor.id}>
              Everything by {actor.name}
            </Only>
          )}
          <Only name="action" value={action}>
            Same action
          </Only>
        </p>
        <p className="flex flex-wrap gap-x-4 gap-y-1 font-mono text-xs text-ink-soft wrap-anywhere">
          <span>{action}</span>
          <span>{object.id}</span>
          {actor.id !== null && <span>{actor.id}</span>}
          {address !== null && <span>from {address}</span>}
          {requestId !== null && <span>request {requestId}</span>}
        </p>
        <Changes entry={entry} />
      </div>
    </details>
  )
}

function actorName({ type, name }: AuditEntry['actor']): string {
  return type === 'system' ? name.charAt(0).toUpperCase() + name.slice(1) : name
}

/** Screens of objects by type, for types that have one. */
const screens: Record<string, string> = {
  run: 'runs',
  workflow: 'workflows',
  agent: 'agents',
  webhook: 'webhooks',
  file: 'files',
  fine_tune: 'fine-tunes',
}

function OpenObject({ entry: { action, object } }: { entry: AuditEntry }): ReactNode {
  const screen = screens[object.type]
  if (screen === undefined || action.endsWith('.deleted')) return null
  const to: string = `/${screen}/${object.id}`
  return (
    <Link to={to} className="link">
      Open {object.type.replace('_', '-')}
    </Link>
  )
}

function Only({
  name,
  value,
  children,
}: {
  name: 'object_id' | 'actor_id' | 'action'
  value: string
  children: ReactNode
}): ReactNode {
  const { from, to } = route.useSearch()
  return (
    <Link
      to="/audit"
      search={{
        [name]: value,
        ...(name === 'actor_id' && { kind: 'all' }),
        ...(from && { from }),
        ...(to && { to }),
      }}
      className="link wrap-anywhere"
    >
      {children}
    </Link>
  )
}

/** Field by field. */
function Changes({ entry: { before, after } }: { entry: AuditEntry }): ReactNode {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (fields.length === 0) return <p className="text-ink-faint">No fields.</p>
  return (
    <dl className="panel divide-y">
      {fields.map((name) => (
        <div key={name} className="grid gap-x-4 gap-y-1 px-3 py-2 sm:grid-cols-[9rem_1fr_1fr]">
          <dt className="font-mono text-xs leading-5 text-ink-faint wrap-anywhere">{name}</dt>
          {before !== null && (
            <dd className="min-w-0 text-ink-soft">
              <span className="sr-only">before: </span>
              <Text text={asText(before[name])} mono limit={1_000} />
            </dd>
          )}
          {after !== null && (
            <dd className="min-w-0">
              <span className="sr-only">after: </span>
              <Text text={asText(after[name])} mono limit={1_000} />
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '–')
}
