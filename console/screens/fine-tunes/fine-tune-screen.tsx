import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { FineTune } from '../../../sdk/generated.ts'
import { useAnswer, useList, useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/text/copy.tsx'
import { formatCount, formatUsd, plural } from '../../ui/text/format.ts'
import { Found } from '../../ui/found.tsx'
import { Page, Section, WayBack } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { Text } from '../../ui/text/text.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { FineTuneState, isActive } from './state.tsx'

const watchEveryMs = 5_000

/** One fine-tune: its state, the provider's log, and its model. */
export function FineTuneScreen(): ReactNode {
  const { fineTuneId } = useParams({ from: '/fine-tunes/$fineTuneId' })
  const { rights } = useSession()
  const query = useAnswer(
    ['fine-tune', fineTuneId],
    (muster, options) => muster.fine_tunes.retrieve(fineTuneId, options),
    {
      refetchInterval: ({ state }) =>
        state.data !== undefined && isActive(state.data) ? watchEveryMs : false,
    },
  )
  return (
    <Found query={query} tab="Fine-tune" lines={8}>
      {(fineTune) => (
        <Page
          title={fineTune.name}
          above={<WayBack to="/fine-tunes" label="Fine-tunes" />}
          about={<FineTuneState fineTune={fineTune} />}
          actions={rights.write && <Actions fineTune={fineTune} />}
        >
          <Facts fineTune={fineTune} />
          <Log fineTune={fineTune} />
        </Page>
      )}
    </Found>
  )
}

function Facts({ fineTune }: { fineTune: FineTune }): ReactNode {
  const { fine_tuned_model: model, error, cost_usd: cost, trained_tokens: tokens } = fineTune
  return (
    <>
      {model !== null && (
        <div className="mb-6 flex flex-wrap items-center gap-3 rounded-lg bg-ok-soft px-4 py-3">
          <div className="min-w-0 flex-1">
            <p className="font-medium text-ok">It can be put to use</p>
            <p className="font-mono text-sm wrap-anywhere">{model}</p>
            <p className="text-sm text-ink-soft">
              Choose it as the model of a{' '}
              <Link to="/workflows" className="link">
                workflow
              </Link>{' '}
              or an{' '}
              <Link to="/agents" className="link">
                agent
              </Link>
              .
            </p>
          </div>
          <CopyButton text={model} label="Copy the model id" />
        </div>
      )}
      {error !== null && (
        <div role="note" className="mb-6 rounded-lg bg-bad-soft px-4 py-3 text-bad">
          <Text text={error} />
        </div>
      )}
      <dl className="panel mb-6 flex flex-wrap gap-x-8 gap-y-3 px-4 py-3">
        <Fact name="Base model">{fineTune.base_model_label}</Fact>
        <Fact name="Provider">{fineTune.provider_label}</Fact>
        <Fact name="Examples">{plural(fineTune.example_count, 'example')}</Fact>
        {tokens !== null && <Fact name="Trained">{formatCount(tokens)} tokens</Fact>}
        {cost !== undefined && <Fact name="Cost">{formatUsd(cost)}</Fact>}
        <Fact name="Started">
          <Ago at={fineTune.created_at} />
        </Fact>
        {fineTune.last_synced_at !== undefined && (
          <Fact name="Heard of">
            <Ago at={fineTune.last_synced_at} />
          </Fact>
        )}
      </dl>
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }): ReactNode {
  return (
    <div>
      <dt className="text-xs text-ink-faint">{name}</dt>
      <dd className="font-medium">{children}</dd>
    </div>
  )
}

function Log({ fineTune }: { fineTune: FineTune }): ReactNode {
  const query = useList(
    ['fine-tune-events', fineTune.id],
    (muster, options) => muster.fine_tunes.events(fineTune.id, options),
    { refetchInterval: isActive(fineTune) ? watchEveryMs : false },
  )
  return (
    <Section title="Log of the provider">
      <div className="panel">
        <Loaded query={query} lines={4}>
          {(events) =>
            events.length === 0 ? (
              <p className="px-4 py-3 text-ink-soft">Nothing yet.</p>
            ) : (
              <ol className="divide-y">
                {events.map(({ at, level, message }, index) => (
                  <li key={index} className="flex flex-wrap gap-x-4 px-4 py-2">
                    <span className="w-24 text-sm text-ink-faint">
                      <Ago at={at} />
                    </span>
                    <div className={`min-w-0 flex-1 ${level === 'error' ? 'text-bad' : ''}`}>
                      <Text text={message} />
                    </div>
                  </li>
                ))}
              </ol>
            )
          }
        </Loaded>
      </div>
    </Section>
  )
}

function Actions({ fineTune }: { fineTune: FineTune }): ReactNode {
  const { muster } = useSession()
  const refreshOne = useRefresh(['fine-tune', fineTune.id])
  const refreshAll = useRefresh(['fine-tunes'])
  const navigate = useNavigate()
  const { id } = fineTune
  const cancel = async () => {
    await muster.fine_tunes.cancel(id)
    await refreshOne()
  }
  const remove = async () => {
    await muster.fine_tunes.delete(id)
    await refreshAll()
    await navigate({ to: '/fine-tunes' })
  }
  return (
    <>
      {isActive(fineTune) && (
        <ConfirmButton
          label="Cancel"
          title="Cancel this training?"
          action="Cancel the training"
          wayOut="Let it go on"
          run={cancel}
        >
          It is stopped at the provider. It cannot be taken up again.
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Delete"
        title={`Delete ${fineTune.name}?`}
        action="Delete it"
        wayOut="Cancel"
        run={remove}
      >
        Its model is refused from then on, also where workflows and agents name it. It cannot be
        undone.
      </ConfirmButton>
    </>
  )
}
