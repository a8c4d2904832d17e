import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { UserRound } from 'lucide-react'
import type { ReactNode } from 'react'
import type { GrantRequest } from '../../../sdk/generated.ts'
import { scopeWords, useGrantRequest } from '../../data/grants.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { HelpLink } from '../../ui/help/help-link.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'

/** The consent page: a program asks to act for the signed-in person. */
export function AuthorizeScreen(): ReactNode {
  const { request } = useSearch({ from: '/authorize' })
  const { person } = useSession().identity
  if (person === undefined) {
    return (
      <Empty icon={UserRound} title="Sign in as a person" help="grants" isPage>
        <p>A program acts for a person, and you are signed in with an API key.</p>
        <p>Sign out, sign in with your email, and start again in the program.</p>
      </Empty>
    )
  }
  return <Asked request={request} />
}

function Asked({ request }: { request: string }): ReactNode {
  const query = useGrantRequest(request)
  const title =
    query.data === undefined ? 'Access request' : `Let ${query.data.client.name} act for you?`
  return (
    <Page title={title} tab="Access request">
      <div className="panel max-w-xl">
        <Loaded query={query} lines={6}>
          {(asked) => <Decide request={request} asked={asked} />}
        </Loaded>
      </div>
    </Page>
  )
}

function Decide({ request, asked }: { request: string; asked: GrantRequest }): ReactNode {
  const { muster, identity } = useSession()
  const { client, scopes, redirect_host: redirectHost } = asked
  const allow = useMutation({
    mutationFn: () => muster.grants.create({ request, account_id: identity.account.id }),
    onSuccess: ({ redirect_url: url }) => location.assign(url),
  })
  const deny = useMutation({
    mutationFn: async () => location.assign(asked.denial_url),
  })
  const isBusy = allow.isPending || allow.isSuccess || deny.isSuccess
  return (
    <div className="grid gap-5 p-5">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-2">
        <Fact label="Program">{client.name}</Fact>
        <Fact label="Host">{hostWords(client.host, asked)}</Fact>
        {redirectHost !== client.host && (
          <Fact label="Goes on to">{hostWords(redirectHost, asked)}</Fact>
        )}
        <Fact label="Account">{identity.account.name}</Fact>
        <Fact label="You">
          {identity.name} · {identity.role}
        </Fact>
      </dl>
      <section aria-labelledby="scopes">
        <h2 id="scopes" className="mb-1.5 text-base font-semibold">
          In your name, the program can
        </h2>
        <ul className="grid list-disc gap-1 pl-5">
          {scopes.map((scope) => (
            <li key={scope}>{scopeWords[scope]}</li>
          ))}
        </ul>
        <p className="mt-2 text-sm text-ink-soft">
          Only what your role permits, and only in this account. You can end its access under
          Profile. <HelpLink topic="grants" />
        </p>
      </section>
      <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">{warningOf(asked)}</p>
      {allow.error !== null && <Failure error={allow.error} />}
      <div className="flex flex-wrap items-center gap-2">
        <Button kind="primary" isBusy={isBusy} onClick={() => allow.mutate()}>
          Allow access
        </Button>
        <Button isBusy={isBusy} onClick={() => deny.mutate()}>
          Deny
        </Button>
        <span role="status" className="text-sm text-ink-soft">
          {allow.isSuccess && 'Access given. Go on in the program; you can close this page.'}
          {deny.isSuccess && 'Access denied. You can close this page.'}
        </span>
      </div>
    </div>
  )
}

function Fact({ label, children }: { label: string; children: ReactNode }): ReactNode {
  return (
    <>
      <dt className="text-ink-soft">{label}</dt>
      <dd className="font-medium wrap-anywhere" translate="no">
        {children}
      </dd>
    </>
  )
}

function hostWords(
  host: string,
  { redirect_host: redirectHost, is_local: isLocal }: GrantRequest,
): string {
  return isLocal && host === redirectHost ? `This computer (${host})` : host
}

/** Why the person should be sure that they started this themselves. */
function warningOf({
  client: { kind },
  redirect_host: redirectHost,
  is_local: isLocal,
}: GrantRequest): string {
  const started = 'Allow access only if you have just started this yourself'
  if (isLocal) return `${started}, in a program on this computer: any program can use this name.`
  if (kind === 'document') return `${started}. Your browser goes on to ${redirectHost}.`
  return `${started}, at ${redirectHost}. The program chose its name itself, and nobody has checked it.`
}
