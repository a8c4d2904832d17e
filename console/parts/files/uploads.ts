import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
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
}

export interface Uploads {
  uploads: readonly Upload[]
  add: (files: readonly File[]) => void
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
        change(key, { error })
      } finally {
        unwatch()
        stops.current.delete(key)
      }
    },
    [muster, queries, change, drop],
  )

  const add = useCallback(
    (files: readonly File[]) => {
      for (const file of files) {
        const { name, size: bytes } = file
        const key = `upload-${Date.now()}-${Math.random().toString(36).slice(2)}`
        if (bytes > maxBytes) {
          const error = new Error(`It has ${formatBytes(bytes)}, at most ${formatBytes(maxBytes)}`)
          setUploads((all) => [...all, { key, name, bytes, error }])
          continue
        }
        const stop = new AbortController()
        stops.current.set(key, stop)
        setUploads((all) => [...all, { key, name, bytes }])
        last.current = last.current.then(() => send(key, file, stop.signal))
      }
    },
    [send],
  )
  return { uploads, add, drop }
}
