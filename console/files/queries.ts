import { queryOptions } from '@tanstack/react-query'
import type { Muster } from '../../sdk/client.ts'
import type { StoredFile } from '../../sdk/generated.ts'
import { usePages } from '../ui/list.tsx'

/** For a file of 32 MB on a slow line, in milliseconds. */
export const largeMs = 120_000

export const fileQuery = (muster: Muster, fileId: string) =>
  queryOptions({
    queryKey: ['file', fileId],
    queryFn: ({ signal }) => muster.files.retrieve(fileId, { signal }),
  })

/** The files of the account, newest first. */
export function useFiles(muster: Muster): ReturnType<typeof usePages<StoredFile>> {
  return usePages<StoredFile>({
    queryKey: ['files'],
    first: (options) => muster.files.list({}, options),
  })
}
