import {
  useCallback,
  useDeferredValue,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import type { RunWithSteps } from '../../../sdk/generated.ts'
import { hasEnded } from '../../data/runs/states.ts'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Dot } from '../../ui/status.tsx'
import { Visible } from '../../ui/text/text.tsx'
import { Markdown } from '../../ui/text/markdown.tsx'
import { Output } from '../../parts/run/output.tsx'
import { OutputTools, Source } from './output-tools.tsx'
import type { StreamedText } from './streamed-text.ts'

interface Props {
  run: RunWithSteps
  streamed: StreamedText
}

/** The end of a text that is being written; all of it is shown once the step has ended. */
const mostUnits = 20_000

/**
 * The output of a run. While the run is running it has a fixed height, so that nothing on the page
 * moves while models write or when they finish.
 */
export function OutputSection({ run, streamed }: Props): ReactNode {
  const isAtWork = run.status === 'queued' || run.status === 'running'
  const [wasLive, setWasLive] = useState(isAtWork)
  if (isAtWork && !wasLive) setWasLive(true)
  const [isSource, setIsSource] = useState(false)
  const tools = run.output !== null && (
    <OutputTools run={run} isSource={isSource} toggle={() => setIsSource(!isSource)} />
  )
  const view = isSource ? <Source of={run} /> : <Output of={run} limit={mostUnits} />
  if (wasLive) return <LiveOutput run={run} streamed={streamed} tools={tools} answer={view} />
  if (run.output === null) return null
  return (
    <Section title="Output" aside={tools}>
      <div className="panel px-4 py-3">{view}</div>
    </Section>
  )
}

interface LiveProps extends Props {
  tools: ReactNode
  answer: ReactNode
}

function LiveOutput({ run, streamed, tools, answer }: LiveProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false)
  const [isCut, setIsCut] = useState(false)
  const place = useRef<HTMLDivElement>(null)
  /** Whether the end is in view and should stay there. */
  const follows = useRef(true)
  const keepEnd = useCallback(() => {
    const { current } = place
    if (current !== null && follows.current) current.scrollTop = current.scrollHeight
  }, [])
  const isOver = hasEnded(run)
  const isAnswered = isOver && run.output !== null
  useLayoutEffect(() => {
    const { current } = place
    if (isOver && current !== null) setIsCut(current.scrollHeight > current.clientHeight)
  }, [isOver])
  return (
    <Section
      title="Output"
      aside={
        // The same height with a button or a text.
        <div className="flex h-8 items-center pointer-coarse:h-11">
          {isAnswered && isCut && (
            <Button kind="quiet" onClick={() => setIsWhole(!isWhole)}>
              {isWhole ? 'Show less' : 'Show all'}
            </Button>
          )}
          {isAnswered ? tools : <WritingAgent run={run} streamed={streamed} />}
        </div>
      }
    >
      <div
        ref={place}
        role="region"
        aria-label={isAnswered ? 'Output' : 'What is being written'}
        tabIndex={0}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          follows.current = scrollHeight - scrollTop - clientHeight < nearPx
        }}
        className={`panel px-4 py-3 ${isWhole ? '' : 'h-56 resize-y overflow-y-auto overscroll-contain'}`}
      >
        {isAnswered ? answer : <LiveText run={run} streamed={streamed} keepEnd={keepEnd} />}
      </div>
    </Section>
  )
}

interface LiveTextProps extends Props {
  keepEnd: () => void
}

/** The live text; its end stays in view unless the reader has scrolled up. */
function LiveText({ run, streamed, keepEnd }: LiveTextProps): ReactNode {
  const turn = useSyncExternalStore(streamed.subscribe, streamed.read)
  // Deferred, so that a busy page formats less often.
  const text = useDeferredValue(turn?.text ?? '')
  useLayoutEffect(keepEnd, [text, keepEnd])
  // What earlier steps wrote is shown with them, and is not the run's output.
  if (run.status === 'waiting_input')
    return <Quiet>No output yet: the run waits for a person.</Quiet>
  if (hasEnded(run)) return <Quiet>No output: the run has failed.</Quiet>
  if (text === '') {
    const why = run.status === 'queued' ? 'The run waits for a worker.' : silence
    return <Quiet>{why}</Quiet>
  }
  const isJson = /^\s*[{[`]/.test(text)
  return (
    <>
      {text.length > mostUnits && (
        <p className="mb-2 text-sm text-ink-faint">The end of a long text:</p>
      )}
      {isJson ? (
        <div className="code" dir="auto">
          <Visible text={endOf(text)} />
        </div>
      ) : (
        <Markdown text={endOf(text)} limit={mostUnits} />
      )}
    </>
  )
}

function Quiet({ children }: { children: string }): ReactNode {
  return <p className="text-ink-faint">{children}</p>
}

const silence = 'Text appears here as it is written.'

const nearPx = 32

/** Starts at a character boundary. */
function endOf(text: string): string {
  if (text.length <= mostUnits) return text
  return text.slice(-mostUnits).replace(/^[\udc00-\udfff]/, '')
}

/** The running agent, and whether it writes. Updates with each turn, not each token. */
function WritingAgent({ run, streamed }: Props): ReactNode {
  const order = useSyncExternalStore(streamed.subscribe, () => {
    const turn = streamed.read()
    return turn === undefined || turn.isDone ? undefined : turn.order
  })
  const writer = run.steps.find((step) => step.order === order)
  const step = writer ?? run.steps.findLast(({ finished_at: end }) => end === null)
  if (run.status !== 'running' || step === undefined) return null
  return (
    <span className="text-sm text-ink-soft">
      <Dot tone="live" isLive>
        {step.role} {step === writer ? 'is writing' : 'is working'}
      </Dot>
    </span>
  )
}
