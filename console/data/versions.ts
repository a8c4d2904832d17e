import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'
import type { Version, VersionDiff } from '../../sdk/generated.ts'
import { useAnswer, usePages } from '../session/api.ts'

/** Resources with versions. */
export type Versioned = 'workflows' | 'agents'

/** Newest first. */
export function useVersions(kind: Versioned, id: string): UseInfiniteQueryResult<Version[]> {
  return usePages(['versions', id, 'list'], (muster, options) =>
    muster[kind].versions.list(id, options),
  )
}

/** The difference of two versions. Versions never change, so it is cached. */
export function useVersionDiff(
  kind: Versioned,
  id: string,
  [from, to]: [number, number],
): UseQueryResult<VersionDiff> {
  return useAnswer(
    ['versions', id, 'diff', from, to],
    (muster, options) => muster[kind].versions.diff(id, String(from), { ...options, to }),
    { staleTime: Infinity },
  )
}

export function publish(
  muster: Muster,
  kind: Versioned,
  id: string,
  { version, ifMatch }: { version: number; ifMatch: number },
): Promise<{ version: number }> {
  return muster[kind].versions.publish(id, String(version), { ifMatch })
}

/** In the URL: the shown version, and the one it is compared with. */
export interface VersionSearch {
  version?: number
  with?: number
}

export function readVersionSearch(search: Record<string, unknown>): VersionSearch {
  const numberOf = (name: string): object => {
    const value = Number(search[name])
    return Number.isInteger(value) && value > 0 ? { [name]: value } : {}
  }
  return { ...numberOf('version'), ...numberOf('with') }
}
