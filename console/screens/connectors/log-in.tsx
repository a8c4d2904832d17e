import { useMutation } from '@tanstack/react-query'
import { LogIn as LogInIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Connector } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { Button } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'

/** Leads to the login of an MCP server, for the account or for the person who is signed in. */
export function LogIn({ connector }: { connector: Connector }): ReactNode {
  const { id, label, credentials, state } = connector
  const { muster, rights } = useSession()
  const begin = useMutation({
    mutationFn: () => muster.connectors.authorize(id, { return_to: `/connectors#${id}` }),
    onSuccess: ({ authorize_url: url }) => location.assign(url),
  })
  if (credentials === undefined) return null
  if (credentials === 'account' && !rights.administer) return null
  const isNeeded = state === 'needs_login'
  return (
    <>
      <Button
        icon={LogInIcon}
        {...(isNeeded && { kind: 'primary' as const })}
        isBusy={begin.isPending || begin.isSuccess}
        aria-label={`${isNeeded ? 'Log in' : 'Log in again'} at ${label}`}
        onClick={() => begin.mutate()}
      >
        {isNeeded ? 'Log in' : 'Log in again'}
      </Button>
      {begin.error !== null && (
        <div className="w-full">
          <Failure error={begin.error} />
        </div>
      )}
    </>
  )
}
