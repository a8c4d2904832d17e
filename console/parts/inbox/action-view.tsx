import type { ReactNode } from 'react'
import { countInvisible } from '../../ui/text/invisible.ts'
import { Text } from '../../ui/text/text.tsx'
import type { Values } from '../schema-form/fields.ts'

interface Props {
  tool: string
  value: Values
}

/** The exact action: an email as an email, anything else as its arguments, unshortened. */
export function ActionView({ tool, value }: Props): ReactNode {
  const raw = JSON.stringify(value, null, 2)
  const hidden = countInvisible(raw)
  return (
    <div className="panel overflow-hidden">
      {hidden > 0 && (
        <p className="border-b bg-warn-soft px-4 py-2 text-sm text-warn">
          This holds characters that a screen does not show. They are named where they stand.
        </p>
      )}
      <Arguments tool={tool} value={value} />
      <details className="border-t">
        <summary className="px-4 py-2 text-sm text-ink-soft hover:bg-hover">As JSON</summary>
        <div className="border-t bg-sunken px-4 py-3">
          <Text text={raw} mono limit={100_000} />
        </div>
      </details>
    </div>
  )
}

function Arguments({ tool, value }: Props): ReactNode {
  switch (tool) {
    case 'email.send':
      return <Mail value={value} />
    case 'slack.post_message':
      return <SlackMessage value={value} />
    default:
      return <ArgumentList value={value} />
  }
}

/** The channel, then the message as it is sent. */
function SlackMessage({ value }: { value: Values }): ReactNode {
  const { channel, text, ...rest } = value
  return (
    <Message text={text} rest={rest}>
      <Row name="Channel" value={channel} isStrong />
    </Message>
  )
}

/** An email like in a mail program. */
function Mail({ value }: { value: Values }): ReactNode {
  const { to, cc, subject, text, ...rest } = value
  return (
    <Message text={text} rest={rest}>
      <Row name="To" value={to} />
      {cc !== undefined && <Row name="Cc" value={cc} />}
      <Row name="Subject" value={subject} isStrong />
    </Message>
  )
}

interface MessageProps {
  /** Rows of the head. */
  children: ReactNode
  text: unknown
  /** Any other arguments. */
  rest: Values
}

function Message({ children, text, rest }: MessageProps): ReactNode {
  return (
    <>
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 border-b px-4 py-3">{children}</dl>
      <div className="px-4 py-4">
        <Value value={text} />
      </div>
      {Object.keys(rest).length > 0 && (
        <div className="border-t">
          <ArgumentList value={rest} />
        </div>
      )}
    </>
  )
}

function Row({
  name,
  value,
  isStrong = false,
}: {
  name: string
  value: unknown
  isStrong?: boolean
}): ReactNode {
  return (
    <>
      <dt className="text-ink-faint">{name}</dt>
      <dd className={`min-w-0 ${isStrong ? 'font-medium' : ''}`}>
        <Value value={Array.isArray(value) ? value.join(', ') : value} />
      </dd>
    </>
  )
}

function ArgumentList({ value }: { value: Values }): ReactNode {
  const entries = Object.entries(value)
  if (entries.length === 0) return <p className="px-4 py-3 text-ink-soft">Without arguments.</p>
  return (
    <dl className="divide-y">
      {entries.map(([name, value]) => (
        <div key={name} className="grid gap-x-4 gap-y-0.5 px-4 py-2.5 sm:grid-cols-[10rem_1fr]">
          <dt className="font-mono text-xs leading-5 text-ink-faint wrap-anywhere">
            <Text text={name} mono />
          </dt>
          <dd className="min-w-0">
            <Value value={value} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Value({ value }: { value: unknown }): ReactNode {
  if (typeof value === 'string') {
    return value === '' ? (
      <span className="text-ink-faint">empty</span>
    ) : (
      <Text text={value} limit={100_000} />
    )
  }
  return <Text text={JSON.stringify(value, null, 2) ?? 'missing'} mono limit={100_000} />
}
