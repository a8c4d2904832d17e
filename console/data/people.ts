import type { UseQueryResult } from '@tanstack/react-query'
import type { User } from '../../sdk/generated.ts'
import { useList } from '../session/api.ts'

/** Some who are in the account, the newest; only admins may know. */
export function useUsers(options: { enabled?: boolean }): UseQueryResult<User[]> {
  return useList(['users'], (muster, asked) => muster.users.list({ ...asked, limit: 100 }), options)
}
