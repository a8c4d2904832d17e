import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { History as HistoryIcon, Pencil, Upload } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Version } from '../../../sdk/generated.ts'
import {
  publish,
  useVersionDiff,
  useVersions,
  type Versioned,
  type VersionSearch,
} from '../../data/versions.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { Failure } from '../../ui/failure.tsx'
import { SelectField } from '../../ui/form/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import type { Tone } from '../../ui/text/tone.ts'
import { showInvisible } from '../../ui/text/invisible.ts'
import { Ago } from '../../ui/text/time.tsx'
import { Changes } from './changes.tsx'

interface Props {
  kind: Versioned
  resource: { id: string; version: number; last_version: number }
  search: VersionSearch
  show: (search: VersionSearch) => void
  /** Opens a version in the editor. */
  edit: (version: number) => Promise<void>
  /** Shown below a version. */
  children?: (version: number) => ReactNode
}

/** The versions of a workflow or an agent, and the changes of each. */
export function History(props: Props): ReactNode {
  const { kind, resource, search, show, children } = props
  const query = useVersions(kind, resource.id)
  const shown = search.version ?? resource.last_version
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[20rem_minmax(0,1fr)]">
      <div className="panel overflow-hidden">
        <Loaded query={query} lines={6}>
          {(versions) => (
            <ul aria-label="Versions" className="divide-y lg:max-h-[70vh] lg:overflow-y-auto">
              {versions.map((one) => (
                <li key={one.version}>
                  <Row one={one} isShown={one.version === shown} show={show} />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
        {query.hasNextPage && (
          <div className="border-t p-3 text-center">
            <Button isBusy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </div>
      <div className="min-w-0">
        <Loaded query={query} lines={6}>
          {(versions) => {
            const one = versions.find(({ version }) => version === shown)
            if (one === undefined)
              return (
                <Empty
                  icon={HistoryIcon}
                  title={`Version ${shown} is not in this list`}
                  help={null}
                />
              )
            return <Shown {...props} one={one} versions={versions} />
          }}
        </Loaded>
        {children?.(shown)}
      </div>
    </div>
  )
}

const states: Record<Version['state'], { word: string; tone: Tone }> = {
  live: { word: 'Live', tone: 'ok' },
  draft: { word: 'Draft', tone: 'accent' },
  earlier: { word: 'Earlier', tone: 'neutral' },
}

function State({ of }: { of: Version['state'] }): ReactNode {
  const { word, tone } = states[of]
  return <Badge tone={tone}>{word}</Badge>
}

interface RowProps {
  one: Version
  isShown: boolean
  show: Props['show']
}

function Row({ one, isShown, show }: RowProps): ReactNode {
  const { version, state, author, note, created_at: at } = one
  return (
    <button
      type="button"
      aria-current={isShown ? 'true' : undefined}
      onClick={() => show({ version })}
      className="grid w-full gap-0.5 px-4 py-3 text-left hover:bg-hover focus-visible:-outline-offset-2 aria-[current]:bg-accent-soft"
    >
      <span className="flex items-center gap-2">
        <span className="font-medium">Version {version}</span>
        <State of={state} />
      </span>
      {note !== null && (
        <span className="line-clamp-2 text-sm wrap-anywhere">{showInvisible(note)}</span>
      )}
      <span className="text-sm text-ink-soft">
        <Ago at={at} />
        {author !== null && ` by ${showInvisible(author.name)}`}
      </span>
    </button>
  )
}

function Shown(props: Props & { one: Version; versions: Version[] }): ReactNode {
  const { kind, resource, search, show, edit, one, versions } = props
  const { version, state, note, base_version: base } = one
  const fallback = state === 'live' ? (base ?? version) : resource.version
  const other = search.with ?? fallback
  const [from, to] = other <= version ? [other, version] : [version, other]
  const diff = useVersionDiff(kind, resource.id, [from, to])
  const others = versions.filter((choice) => choice.version !== version)
  return (
    <Section
      title={`Version ${version}`}
      aside={<VersionActions {...{ kind, resource, one, edit }} />}
    >
      {note !== null && <p className="mb-3 wrap-anywhere text-ink-soft">{showInvisible(note)}</p>}
      <div className="panel overflow-hidden">
        {others.length > 0 && (
          <div className="border-b p-4">
            <div className="max-w-60">
              <SelectField
                label="Compare with"
                value={String(other)}
                onChange={(value) => show({ version, with: Number(value) })}
                options={[
                  ...(other === version ? [{ value: String(version), label: 'Itself' }] : []),
                  ...others.map((choice) => ({
                    value: String(choice.version),
                    label: `Version ${choice.version} (${states[choice.state].word.toLowerCase()})`,
                  })),
                ]}
              />
            </div>
          </div>
        )}
        {from === to ? (
          <p className="p-4 text-ink-soft">The first version</p>
        ) : (
          <Loaded query={diff}>
            {(found) => (
              <>
                <p className="px-4 pt-4 text-sm text-ink-soft">
                  From version {found.from} to version {found.to}
                </p>
                <Changes diff={found} />
              </>
            )}
          </Loaded>
        )}
      </div>
    </Section>
  )
}

function VersionActions({
  kind,
  resource: { id, version: live },
  one: { version, state },
  edit,
}: Pick<Props, 'kind' | 'resource' | 'edit'> & { one: Version }): ReactNode {
  const { muster, rights } = useSession()
  const refresh = useRefresh(['versions', id], ['workflow', id], ['agent', id], [kind])
  const editing = useMutation({ mutationFn: () => edit(version) })
  if (!rights.write) return <State of={state} />
  const isDraft = state === 'draft'
  return (
    <div className="flex flex-wrap items-center gap-2">
      <State of={state} />
      <Button icon={Pencil} isBusy={editing.isPending} onClick={() => editing.mutate()}>
        Edit
      </Button>
      {state !== 'live' && (
        <ConfirmButton
          label={isDraft ? 'Publish' : 'Go back to this version'}
          icon={isDraft ? Upload : HistoryIcon}
          title={isDraft ? `Publish version ${version}?` : `Go back to version ${version}?`}
          action={isDraft ? `Publish version ${version}` : `Go back to version ${version}`}
          wayOut={`Keep version ${live}`}
          isHarmless
          run={async () => {
            await publish(muster, kind, id, { version, ifMatch: live }).finally(refresh)
          }}
        >
          Runs that begin from now on use version {version} in place of version {live}, which stays
          in the history. Runs that have begun keep their version.
        </ConfirmButton>
      )}
      {editing.error !== null && <Failure error={editing.error} />}
    </div>
  )
}

/** A link to the history, with the number of the live version. */
export function HistoryLink({
  kind,
  resource: { id, version, last_version: last },
}: Pick<Props, 'kind' | 'resource'>): ReactNode {
  const words = (
    <>
      Version {version}
      {last > version && ` · newest is ${last}`}
    </>
  )
  return kind === 'workflows' ? (
    <Link to="/workflows/$workflowId/versions" params={{ workflowId: id }} className="link">
      {words}
    </Link>
  ) : (
    <Link to="/agents/$agentId/versions" params={{ agentId: id }} className="link">
      {words}
    </Link>
  )
}
