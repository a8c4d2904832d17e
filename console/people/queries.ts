import type { UseQueryResult } from '@tanstack/react-query'
import type { User } from '../../sdk/generated.ts'
import { useList } from '../session/api.ts'

/** Who is in the account; only admins may know. */
export function useUsers(options: { enabled?: boolean } = {}): UseQueryResult<User[]> {
  return useList(['users'], (muster, asked) => muster.users.list({ limit: 100 }, asked), options)
}
