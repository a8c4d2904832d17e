import { useNavigate } from '@tanstack/react-router'
import { identityOf } from '../../session/identity.ts'
import { useSession } from '../../session/session.tsx'

/** Switches a person with several accounts to another one. */
export function useMoveAccount(): (accountId: string) => Promise<void> {
  const { muster, enter } = useSession()
  const navigate = useNavigate()
  return async (accountId) => {
    const person = await muster.me.switch_account({ account_id: accountId })
    enter(identityOf(person))
    await navigate({ to: '/' })
  }
}
