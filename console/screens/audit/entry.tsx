import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { AuditEntry } from '../../../sdk/generated.ts'
import { Text } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'

const route = getRouteApi('/audit')

/** One change: who, what, to which object; opened, the fields before and after. */
export function Entry({ entry }: { entry: AuditEntry }): ReactNode {
  const { actor, action, object, address, request_id: requestId, created_at: at } = entry
  return (
    <details>
      <summary className="grid grid-cols-[1fr_auto] gap-x-4 px-4 py-2.5 hover:bg-hover sm:grid-cols-[6rem_14rem_1fr_1fr]">
        <span className="order-1 text-right text-sm text-ink-faint sm:order-none sm:text-left">
          <Ago at={at} />
        </span>
        <span className="min-w-0 truncate font-mono text-sm">{action}</span>
        <span className="order-2 truncate text-sm sm:order-none">{nameOf(entry)}</span>
        <span className="order-3 truncate text-right text-sm text-ink-soft sm:order-none sm:text-left">
          {actor.name}
        </span>
      </summary>
      <div className="grid gap-3 border-t bg-canvas px-4 py-3 text-sm">
        <p className="flex flex-wrap gap-x-4 gap-y-1 text-ink-soft">
          <span>
            {object.type} <Only name="object_id" value={object.id} />
          </span>
          <OpenObject id={object.id} />
          {actor.id !== null && (
            <span>
              by {actor.type} <Only name="actor_id" value={actor.id} />
            </span>
          )}
          <span>
            all <Only name="action" value={action} />
          </span>
          {address !== null && <span>from {address}</span>}
          {requestId !== null && <span className="font-mono text-xs leading-5">{requestId}</span>}
        </p>
        <Changes entry={entry} />
      </div>
    </details>
  )
}

/** The screens of objects, by the start of their ids. */
const screens: Record<string, string> = {
  run: 'runs',
  wf: 'workflows',
  agt: 'agents',
  whk: 'webhooks',
  file: 'files',
  ft: 'fine-tunes',
}

function OpenObject({ id }: { id: string }): ReactNode {
  const screen = screens[id.split('_')[0] ?? '']
  if (screen === undefined) return null
  const to: string = `/${screen}/${id}`
  return (
    <Link to={to} className="link">
      Open it
    </Link>
  )
}

/** What the object is called, where it has a name, else its id. */
function nameOf({ object, before, after }: AuditEntry): string {
  const name = after?.['name'] ?? before?.['name'] ?? after?.['email']
  return typeof name === 'string' ? name : object.id
}

function Only({
  name,
  value,
}: {
  name: 'object_id' | 'actor_id' | 'action'
  value: string
}): ReactNode {
  const { from, to } = route.useSearch()
  return (
    <Link
      to="/audit"
      search={{ [name]: value, ...(from && { from }), ...(to && { to }) }}
      className="link font-mono text-xs wrap-anywhere"
    >
      {value}
    </Link>
  )
}

/** Field by field. */
function Changes({ entry: { before, after } }: { entry: AuditEntry }): ReactNode {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (fields.length === 0) return <p className="text-ink-faint">Without fields.</p>
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
