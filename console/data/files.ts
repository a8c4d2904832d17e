import type { UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query'
import type { StoredFile } from '../../sdk/generated.ts'
import { useAnswer, usePages } from '../session/api.ts'

/** Timeout for a file of 32 MB on a slow line. */
export const largeMs = 120_000

export function useFile(id: string): UseQueryResult<StoredFile> {
  return useAnswer(['file', id], (muster, options) => muster.files.retrieve(id, options))
}

/** The files of the account, newest first. */
export function useFiles(): UseInfiniteQueryResult<StoredFile[]> {
  return usePages(['files'], (muster, options) => muster.files.list({ ...options, limit: 100 }))
}

/** The text that the search field matches. */
export function searchText({ name, media_type: type }: StoredFile): string {
  return `${name} ${type}`
}
