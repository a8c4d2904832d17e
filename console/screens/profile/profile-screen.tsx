import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { ChangeMe, Me } from '../../../sdk/generated.ts'
import { useList, useRefresh } from '../../session/api.ts'
import { identityOf } from '../../session/identity.ts'
import { useSession } from '../../session/session.tsx'
import { NotFound } from '../../ui/not-found.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { TextField } from '../../ui/form/field.tsx'
import { KeysSwitch } from '../../ui/keys-switch.tsx'
import { List } from '../../ui/list.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { browserOf } from './browser-words.ts'
import { Programs } from './programs.tsx'

/** The user's own name, password, shortcuts, programs and active sessions. */
export function ProfileScreen(): ReactNode {
  const { person } = useSession().identity
  // An API key has no profile.
  if (person === undefined) return <NotFound />
  return (
    <Page title="Profile" about={person.email}>
      <Name person={person} />
      {person.has_password && <Password />}
      <Section title="Keyboard">
        <div className="panel max-w-md p-4">
          <KeysSwitch />
        </div>
      </Section>
      <Programs />
      <Sessions />
    </Page>
  )
}

function useChange(): {
  change: (body: ChangeMe, then?: { onSuccess: () => void }) => void
  isBusy: boolean
  isDone: boolean
  error: unknown
} {
  const { muster, enter } = useSession()
  const save = useMutation({
    mutationFn: (body: ChangeMe) => muster.me.update(body),
    onSuccess: (person) => enter(identityOf(person)),
  })
  return { change: save.mutate, isBusy: save.isPending, isDone: save.isSuccess, error: save.error }
}

function Name({ person }: { person: Me }): ReactNode {
  const [name, setName, clear] = useDraft('profile.name', person.name)
  const { change, isBusy, error } = useChange()
  return (
    <Section title="Name">
      <Form
        className="panel grid max-w-md gap-4 p-4"
        send={() => change({ name: name.trim() }, { onSuccess: clear })}
      >
        <TextField
          label="Display name"
          autoComplete="name"
          required
          value={name}
          onChange={setName}
        />
        {error !== null && <Failure error={error} />}
        <div>
          <Button type="submit" isBusy={isBusy} disabled={name.trim() === person.name}>
            Save name
          </Button>
        </div>
      </Form>
    </Section>
  )
}

function Password(): ReactNode {
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const { change, isBusy, isDone, error } = useChange()
  return (
    <Section title="Password">
      <Form
        className="panel grid max-w-md gap-4 p-4"
        send={() =>
          change(
            { password, current_password: current },
            {
              onSuccess: () => {
                setCurrent('')
                setPassword('')
              },
            },
          )
        }
      >
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={setCurrent}
        />
        <TextField
          label="New password"
          type="password"
          autoComplete="new-password"
          minLength={10}
          required
          hint="Ten characters or more. Your other sessions and the access of your programs end."
          value={password}
          onChange={setPassword}
        />
        {error !== null && <Failure error={error} />}
        <div className="flex items-center gap-3">
          <Button type="submit" isBusy={isBusy}>
            Change password
          </Button>
          {isDone && (
            <span role="status" className="text-sm text-ok">
              Password changed.
            </span>
          )}
        </div>
      </Form>
    </Section>
  )
}

function Sessions(): ReactNode {
  const { muster, signOut } = useSession()
  const query = useList(['sessions'], (muster, options) =>
    muster.sessions.list({ ...options, limit: 100 }),
  )
  const end = useMutation({
    mutationFn: (id: string) => muster.sessions.delete(id),
    onSuccess: useRefresh(['sessions']),
  })
  return (
    <Section title="Active sessions">
      <List
        label="Sessions"
        query={query}
        lines={3}
        head={
          end.error !== null && (
            <div className="p-3">
              <Failure error={end.error} />
            </div>
          )
        }
      >
        {({ id, current, user_agent: browser, address, last_seen_at: seenAt }) => (
          <div className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
            <div className="min-w-0 flex-1 basis-64">
              <p className="flex items-center gap-2">
                <span className="truncate" title={browser ?? ''}>
                  {browserOf(browser)}
                </span>
                {current && <Badge tone="ok">this one</Badge>}
              </p>
              <p className="text-sm text-ink-faint">
                {address} · used <Ago at={seenAt} />
              </p>
            </div>
            <Button isBusy={end.isPending} onClick={() => (current ? signOut() : end.mutate(id))}>
              Sign out
            </Button>
          </div>
        )}
      </List>
    </Section>
  )
}
