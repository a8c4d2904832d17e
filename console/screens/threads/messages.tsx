import { Link } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ThreadMessage } from '../../../sdk/generated.ts'
import { isOpen } from '../../data/threads.ts'
import { Dot } from '../../ui/status.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import { Text } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'
import type { LiveText } from './use-live.ts'

/** One message; an answer is wide, what a person wrote stands at the end of the line. */
export function Message({ message }: { message: ThreadMessage }): ReactNode {
  const { role, text, data, files, run_id: runId, author } = message
  const isAnswer = role === 'assistant'
  return (
    <li className={isAnswer ? '' : 'ml-auto w-fit max-w-[85%]'}>
      <article
        aria-label={isAnswer ? 'Answer' : `Message of ${author?.name ?? 'someone'}`}
        className={`grid gap-2 rounded-lg px-4 py-3 ${isAnswer ? 'panel' : 'bg-accent-soft'}`}
      >
        {isAnswer ? <Markdown text={text} limit={8_000} /> : <Text text={text} />}
        {data !== null && (!isAnswer || text === '') && <JsonView value={data} />}
        {files.length > 0 && (
          <ul aria-label="Files" className="flex flex-wrap gap-2 text-sm">
            {files.map((file) => (
              <li key={file.id} className="inline-flex items-center gap-1">
                <FileText size={14} aria-hidden="true" /> {file.name}
              </li>
            ))}
          </ul>
        )}
      </article>
      <p className="mt-1 flex flex-wrap items-baseline gap-x-3 px-1 text-xs text-ink-soft">
        {!isAnswer && <State message={message} />}
        <Ago at={message.created_at} />
        {!isAnswer && author !== null && <span>{author.name}</span>}
        {isAnswer && runId !== null && (
          <Link to="/runs/$runId" params={{ runId }} className="link">
            View run
          </Link>
        )}
      </p>
    </li>
  )
}

const words = {
  queued: ['neutral', 'Waiting for its turn'],
  running: ['live', 'Running'],
  waiting_input: ['warn', 'Waiting for a person'],
  failed: ['bad', 'Failed'],
  cancelled: ['neutral', 'Cancelled'],
  refused: ['bad', 'Refused'],
} as const

function State({ message: { status, why, run_id: runId } }: { message: ThreadMessage }): ReactNode {
  if (status === 'answered') return null
  const [tone, word] = words[status]
  return (
    <>
      <Dot tone={tone} isLive={status === 'running'}>
        {word}
      </Dot>
      {why !== null && <span className="wrap-anywhere">{why}</span>}
      {runId !== null && !isOpen({ status }) && (
        <Link to="/runs/$runId" params={{ runId }} className="link">
          View run
        </Link>
      )}
    </>
  )
}

/** The answer while it is being written, with the calls of tools folded. */
export function LiveAnswer({
  live,
  runId,
}: {
  live: LiveText | undefined
  runId: string
}): ReactNode {
  const tools = live?.tools ?? []
  return (
    <li>
      <article aria-label="Answer in progress" className="panel grid gap-2 rounded-lg px-4 py-3">
        {tools.length > 0 && (
          <details className="text-sm text-ink-soft">
            <summary>{tools.length === 1 ? '1 tool call' : `${tools.length} tool calls`}</summary>
            <ul className="mt-1 pl-4 font-mono text-xs">
              {tools.map((tool, place) => (
                <li key={place}>{tool}</li>
              ))}
            </ul>
          </details>
        )}
        {live === undefined || live.text === '' ? (
          <p className="text-ink-soft">Working …</p>
        ) : (
          <Text text={live.text} limit={20_000} />
        )}
        <p className="text-xs">
          <Link to="/runs/$runId" params={{ runId }} className="link">
            View run
          </Link>
        </p>
      </article>
    </li>
  )
}
