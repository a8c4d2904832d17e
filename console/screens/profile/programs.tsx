import { Plug } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Grant } from '../../../sdk/generated.ts'
import { scopeWords, useGrants } from '../../data/grants.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { List } from '../../ui/list.tsx'
import { Section } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Ago } from '../../ui/text/time.tsx'

/** The programs that act for the person, each with a way to end its access. */
export function Programs(): ReactNode {
  const query = useGrants()
  return (
    <Section title="Programs that act for you">
      <List
        label="Programs"
        query={query}
        lines={2}
        empty={<Empty icon={Plug} title="No programs" help="grants" />}
      >
        {(grant) => <ProgramRow grant={grant} />}
      </List>
    </Section>
  )
}

function ProgramRow({ grant }: { grant: Grant }): ReactNode {
  const { muster } = useSession()
  const refresh = useRefresh(['grants'])
  const { id, client, scopes, created_at: createdAt, last_used_at: usedAt } = grant
  const end = async () => {
    await muster.grants.delete(id)
    await refresh()
  }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-64">
        <p className="wrap-anywhere" translate="no">
          <span className="font-medium">{client.name}</span>
          {client.name !== client.host && <span className="text-ink-soft"> · {client.host}</span>}
        </p>
        <p className="text-sm text-ink-soft">
          {scopes.map((scope) => scopeWords[scope]).join(' · ')}
        </p>
        <p className="text-sm text-ink-faint">
          allowed <Ago at={createdAt} />
          {usedAt !== null && (
            <>
              {' '}
              · used <Ago at={usedAt} />
            </>
          )}
        </p>
      </div>
      <ConfirmButton
        label="End access"
        aria-label={`End access of ${client.name}`}
        title={`End the access of ${client.name}?`}
        action="End access"
        wayOut="Keep access"
        run={end}
      >
        <p>The program can no longer act for you. To use it again, connect it again.</p>
      </ConfirmButton>
    </div>
  )
}
