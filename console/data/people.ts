import type { UseQueryResult } from '@tanstack/react-query'
import type { ApiKey, User } from '../../sdk/generated.ts'
import { useList } from '../session/api.ts'

/** The newest users of the account; only admins may list them. */
export function useUsers(options: { enabled?: boolean }): UseQueryResult<User[]> {
  return useList(['users'], (muster, asked) => muster.users.list({ ...asked, limit: 100 }), options)
}

/** For admins only. */
export function useApiKeys(isWanted = true): UseQueryResult<ApiKey[]> {
  return useList(['keys'], (muster, options) => muster.api_keys.list(options), {
    enabled: isWanted,
  })
}
