import type { ReactNode } from 'react'
import type { FineTunePreview } from '../../../sdk/generated.ts'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { formatCount, formatUsd } from '../../ui/text/format.ts'
import { Section } from '../../ui/page.tsx'
import { Text } from '../../ui/text/text.tsx'

interface Props {
  preview: FineTunePreview
  isBusy: boolean
  error: unknown
  start: () => void
}

/** The training set, its problems and its cost. */
export function Preview({ preview, isBusy, error, start }: Props): ReactNode {
  const {
    example_count: count,
    token_count: tokens,
    estimated_cost_usd: cost,
    problems,
    examples,
  } = preview
  return (
    <>
      <Section title="What would be trained on">
        <div className="panel divide-y">
          <p className="px-4 py-3">
            {formatCount(count)} examples, {formatCount(tokens)} tokens a pass,{' '}
            {cost === null ? 'cost not known' : `about ${formatUsd(cost)}`}
          </p>
          {problems.map(({ line, message }, index) => (
            <div key={index} className="px-4 py-2.5 text-bad">
              <Text text={`${line === null ? '' : `Line ${line}: `}${message}`} />
            </div>
          ))}
          {examples.map(({ messages }, index) => (
            <details key={index}>
              <summary className="px-4 py-2.5 text-sm text-ink-soft hover:bg-hover">
                Example {index + 1}
              </summary>
              <dl className="grid gap-3 px-4 pb-4">
                {messages.map(({ role, content }, index) => (
                  <div key={index}>
                    <dt className="text-xs text-ink-faint">{role}</dt>
                    <dd>
                      <Text text={content ?? ''} limit={1_500} />
                    </dd>
                  </div>
                ))}
              </dl>
            </details>
          ))}
        </div>
      </Section>
      {error !== null && (
        <div className="mb-4">
          <Failure error={error} />
        </div>
      )}
      <Button kind="primary" isBusy={isBusy} disabled={problems.length > 0} onClick={start}>
        Start training
      </Button>
    </>
  )
}
