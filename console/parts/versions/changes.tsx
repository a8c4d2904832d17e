import type { ReactNode } from 'react'
import type { VersionDiff } from '../../../sdk/generated.ts'
import { Text } from '../../ui/text/text.tsx'
import { TextDiff } from './text-diff.tsx'

type Change = VersionDiff['changes'][number]

/** The fields that differ between two versions. */
export function Changes({ diff: { changes } }: { diff: VersionDiff }): ReactNode {
  if (changes.length === 0) return <p className="p-4 text-ink-soft">No differences</p>
  return (
    <ul aria-label="Changed fields" className="divide-y">
      {changes.map((change) => (
        <li key={change.field} className="grid gap-2 p-4">
          <h3 className="text-sm font-medium wrap-anywhere">
            {fieldLabel(change)}{' '}
            <span className="font-mono text-xs font-normal text-ink-faint">{change.field}</span>
          </h3>
          {change.parts === null ? (
            <BeforeAfter change={change} />
          ) : (
            <TextDiff parts={change.parts} />
          )}
        </li>
      ))}
    </ul>
  )
}

function BeforeAfter({ change: { before, after } }: { change: Change }): ReactNode {
  return (
    <dl className="grid gap-2 sm:grid-cols-2">
      {(
        [
          ['Before', before, 'text-bad'],
          ['After', after, 'text-ok'],
        ] as const
      ).map(([name, value, look]) => (
        <div key={name} className="min-w-0">
          <dt className="text-xs text-ink-faint">{name}</dt>
          <dd className={`wrap-anywhere ${look}`}>
            <Text text={shownValue(value)} mono limit={2_000} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function shownValue(value: unknown): string {
  if (value === null) return 'None'
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

const names: Record<string, string> = {
  systemPrompt: 'Instructions',
  agentId: 'Agent',
  maxTokens: 'Max tokens',
  human_in_the_loop: 'Human in the loop',
  memory_enabled: 'Memory',
  expose_mcp: 'MCP tool',
}

/** The editor's label of a field, with its agent. */
function fieldLabel({ field, agent, before, after }: Change): string {
  if (/^crew\[\d+\]$/.test(field)) {
    const what = before === null ? 'Added' : after === null ? 'Removed' : 'Changed'
    return `${what} agent: ${agent ?? ''}`
  }
  const [first = '', ...rest] = field.replace(/^crew\[\d+\]\./, '').split('.')
  const words = [names[first] ?? plain(first), ...rest.map((name) => plain(name).toLowerCase())]
  const name = words.join(': ')
  return agent === null ? name : `${agent}: ${name.charAt(0).toLowerCase()}${name.slice(1)}`
}

function plain(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
