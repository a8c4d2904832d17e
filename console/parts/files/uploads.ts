import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { MusterError } from '../../../sdk/errors.ts'
import type { StoredFile } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { formatBytes } from '../../ui/text/format.ts'
import { largeMs } from '../../data/files.ts'
import { watchUpload } from '../../session/watched-fetch.ts'

/** The API's limit, checked before the upload starts. */
const maxBytes = 32 * 1024 * 1024

/** A file that is being uploaded, or was rejected. */
export interface Upload {
  key: string
  name: string
  bytes: number
  /** The uploaded fraction, 0 to 1; undefined while other files are uploaded first. */
  sent?: number
  /** Why it was rejected. */
  error?: unknown
  /** Whether the same file may be accepted at another try. */
  isInterrupted?: boolean
  file?: File
}

export interface Uploads {
  uploads: readonly Upload[]
  /** Files to upload, and the names of folders, which are rejected. */
  add: (files: readonly File[], folders?: readonly string[]) => void
  /** Sends a file again whose upload was interrupted. */
  again: (upload: Upload) => void
  /** Cancels an upload, or removes a rejected one from the list. */
  drop: (key: string) => void
}

/** Uploads files one after the other, so that each finishes soon on a slow connection. */
export function useUploads(arrived?: (file: StoredFile) => void): Uploads {
  const { muster } = useSession()
  const queries = useQueryClient()
  const [uploads, setUploads] = useState<readonly Upload[]>([])
  const stops = useRef(new Map<string, AbortController>())
  const last = useRef(Promise.resolve())
  const onStored = useRef(arrived)
  useEffect(() => {
    onStored.current = arrived
  })
  useEffect(() => {
    const { current } = stops
    return () => {
      for (const stop of current.values()) stop.abort()
    }
  }, [])

  const change = useCallback((key: string, with_: Partial<Upload>) => {
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, ...with_ } : one)))
  }, [])
  const drop = useCallback((key: string) => {
    stops.current.get(key)?.abort()
    setUploads((all) => all.filter((one) => one.key !== key))
  }, [])

  const send = useCallback(
    async (key: string, file: File, signal: AbortSignal) => {
      if (signal.aborted) return
      const unwatch = watchUpload(key, (sent) => change(key, { sent }))
      try {
        change(key, { sent: 0 })
        const options = { idempotencyKey: key, signal, timeoutMs: largeMs }
        const stored = await muster.files.upload(file, options)
        if (signal.aborted) return
        onStored.current?.(stored)
        void queries.invalidateQueries({ queryKey: ['files'] })
        drop(key)
      } catch (error) {
        change(key, { error, isInterrupted: isInterrupted(error) })
      } finally {
        unwatch()
        stops.current.delete(key)
      }
    },
    [muster, queries, change, drop],
  )

  const queue = useCallback(
    (key: string, file: File) => {
      const stop = new AbortController()
      stops.current.set(key, stop)
      last.current = last.current.then(() => send(key, file, stop.signal))
    },
    [send],
  )
  const again = useCallback(
    ({ key, file }: Upload) => {
      if (file === undefined) return
      setUploads((all) =>
        all.map((one) => (one.key === key ? { key, name: one.name, bytes: one.bytes, file } : one)),
      )
      queue(key, file)
    },
    [queue],
  )
  const add = useCallback(
    (files: readonly File[], folders: readonly string[] = []) => {
      for (const name of folders) {
        const error = new Error('It is a folder: open it and add its files')
        setUploads((all) => [...all, { key: newKey(), name, bytes: 0, error }])
      }
      for (const file of files) {
        const { name, size: bytes } = file
        const key = newKey()
        if (bytes > maxBytes) {
          const error = new Error(`It has ${formatBytes(bytes)}, at most ${formatBytes(maxBytes)}`)
          setUploads((all) => [...all, { key, name, bytes, error }])
          continue
        }
        setUploads((all) => [...all, { key, name, bytes, file }])
        queue(key, file)
      }
    },
    [queue],
  )
  return { uploads, add, again, drop }
}

function newKey(): string {
  return `upload-${Date.now()}-${Math.random().toString(36).slice(2)}`
}

/** No answer came, or one that says to come back. */
function isInterrupted(error: unknown): boolean {
  const status = error instanceof MusterError ? error.status : 0
  return status === 0 || status === 429 || status >= 500
}
