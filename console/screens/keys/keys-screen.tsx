import { KeyRound, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { ApiKey } from '../../../sdk/generated.ts'
import { useApiKeys } from '../../data/people.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { screenFor } from '../../session/for-role.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { useFind } from '../../ui/find.tsx'
import { List } from '../../ui/list.tsx'
import { OpenForm } from '../../ui/form/open-form.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { NewKey } from './new-key.tsx'

/** API keys: each program has its own. */
export const KeysScreen = screenFor('administer', 'API keys', Keys)

function Keys(): ReactNode {
  const query = useApiKeys()
  const find = useFind(({ name, role, prefix }: ApiKey) => [name, role, prefix].join(' '))
  return (
    <Page
      title="API keys"
      about="For programs. A key is shown once, when it is created."
      actions={
        <OpenForm kind="primary" icon={Plus} label="New key">
          {(close) => <NewKey close={close} />}
        </OpenForm>
      }
    >
      <List
        label="API keys"
        query={query}
        find={find}
        empty={<Empty icon={KeyRound} title="No keys" help="programs" />}
      >
        {(key) => <KeyRow apiKey={key} />}
      </List>
    </Page>
  )
}

function KeyRow({ apiKey }: { apiKey: ApiKey }): ReactNode {
  const { muster, identity } = useSession()
  const refresh = useRefresh(['keys'])
  const { id, name, role, prefix, expires_at: expiresAt, last_used_at: usedAt } = apiKey
  const isMine = id === identity.id
  const revoke = async () => {
    await muster.api_keys.delete(id)
    await refresh()
  }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{name}</span>
          <Badge tone={role === 'admin' ? 'accent' : 'neutral'}>{role}</Badge>
          {isMine && <Badge tone="ok">this one</Badge>}
        </p>
        <p className="flex flex-wrap gap-x-1.5 text-sm text-ink-faint">
          <span className="font-mono text-xs leading-5">{prefix}…</span>
          <span>
            ·{' '}
            {usedAt === null ? (
              'not used yet'
            ) : (
              <>
                used <Ago at={usedAt} />
              </>
            )}
          </span>
          {expiresAt !== null && (
            <span>
              · expires <Ago at={expiresAt} />
            </span>
          )}
        </p>
      </div>
      <ConfirmButton
        label="Revoke"
        aria-label={`Revoke ${name}`}
        title={`Revoke ${name}?`}
        action="Revoke it"
        wayOut="Cancel"
        run={revoke}
      >
        {isMine
          ? 'You are signed in with this key: you will be signed out.'
          : 'Programs that use it are refused at once.'}{' '}
        It cannot be undone.
      </ConfirmButton>
    </div>
  )
}
