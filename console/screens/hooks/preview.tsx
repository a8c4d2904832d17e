import type { ReactNode } from 'react'
import type { Hook, HookPreview, PreviewHook } from '../../../sdk/generated.ts'
import { useHookDelivery, useHookPreview } from '../../data/hooks.ts'
import { useDraft } from '../../ui/form/draft.ts'
import { TextArea } from '../../ui/form/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { parseAsWritten } from '../../../server/exact-json.ts'
import { JsonView } from '../../ui/text/json-view.tsx'
import { Text } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { wordsOfError } from '../../ui/form/error-words.ts'

interface Props {
  hook: Hook
  routing: PreviewHook
}

/** The result of filter and templates for the last event with a body, or for a sample. */
export function Preview({ hook, routing }: Props): ReactNode {
  const [sample, setSample] = useDraft(`sample.${hook.id}`, '{\n  "action": "opened"\n}')
  const { last_delivery: last } = hook
  const isThere = last !== null && last.status !== 'refused'
  const event = isThere ? { delivery_id: last.id } : { body: sample }
  const { data, error } = useHookPreview({ hook_id: hook.id, ...event, ...routing })
  return (
    <Section title={isThere ? 'Result for the last event' : 'Result for a sample'}>
      <div className="grid gap-4">
        {isThere ? (
          <LastEvent hookId={hook.id} id={last.id} at={last.received_at} />
        ) : (
          <TextArea
            label="Sample body"
            mono
            spellCheck={false}
            hint="Used until the first event arrives."
            value={sample}
            onChange={setSample}
          />
        )}
        <div role="status" aria-label="Preview" className="panel px-4 py-3 text-sm">
          {error !== null ? (
            <p className="text-bad">{wordsOfError(error)}</p>
          ) : (
            data !== undefined && <Result preview={data} />
          )}
        </div>
      </div>
    </Section>
  )
}

function LastEvent({ hookId, id, at }: { hookId: string; id: string; at: string }): ReactNode {
  const { data } = useHookDelivery(hookId, id)
  return (
    <details open className="panel px-4 py-3 text-sm">
      <summary className="text-ink-soft">
        Body, received <Ago at={at} />
      </summary>
      <div className="mt-2 max-h-80 overflow-auto" tabIndex={0} role="region" aria-label="Body">
        {data !== undefined && <Text text={pretty(data.body)} mono limit={20_000} />}
      </div>
    </details>
  )
}

function Result({ preview: { passes, run, problems } }: { preview: HookPreview }): ReactNode {
  return (
    <div className="grid gap-2">
      <p>
        {problems.length > 0 ? (
          <Badge tone="bad">Fails</Badge>
        ) : passes === true ? (
          <Badge tone="ok">Starts a run</Badge>
        ) : (
          <Badge tone="neutral">Filtered out</Badge>
        )}
      </p>
      {problems.map(({ field, why }) => (
        <p key={field} className="text-bad">
          {field}: {why}
        </p>
      ))}
      {run !== null && <JsonView value={run} />}
    </div>
  )
}

function pretty(body: string): string {
  try {
    return JSON.stringify(parseAsWritten(body), null, 2)
  } catch {
    return body
  }
}
