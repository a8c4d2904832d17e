import { FilesResource, type StoredFile } from './generated.ts'
import type { RequestOptions } from './transport.ts'

/** What files have beyond the plain operations: their bytes, in and out. */
export interface UploadOptions extends RequestOptions {
  /** What it is called; the name of a `File` by default. Its ending tells Markdown, CSV and JSON from plain text. */
  name?: string
}

export interface ContentOptions extends RequestOptions {
  /** Bytes from `start` up to, without, `end`; to the end of the file without one. */
  range?: { start: number; end?: number }
}

export class Files extends FilesResource {
  /**
   * Uploads up to 32 MB: a `Blob` or `File`, bytes, or a text. The type is what the bytes say. A call that is
   * repeated after a failure makes one file.
   */
  upload(
    content: Blob | Uint8Array | string,
    { name = nameOf(content), ...options }: UploadOptions = {},
  ): Promise<StoredFile> {
    const body = new FormData()
    body.append('file', content instanceof Blob ? content : new Blob([content as string]), name)
    return this.transport.data({ method: 'POST', path: '/v1/files', body }, options)
  }

  /**
   * The answer with the bytes of a file, as soon as it begins: `await response.arrayBuffer()`, or `response.body`
   * to read piece by piece. The deadline covers its headers; `signal` ends the reading as well.
   */
  async content(id: string, { range, ...options }: ContentOptions = {}): Promise<Response> {
    const headers: Record<string, string> = { accept: '*/*', ...options.headers }
    if (range !== undefined) {
      headers['range'] = `bytes=${range.start}-${range.end === undefined ? '' : range.end - 1}`
    }
    const path = `/v1/files/${encodeURIComponent(id)}/content`
    const asked = { method: 'GET', path } as const
    const response = await this.transport.send(asked, { ...options, headers }, async (one) => one)
    return options.signal === undefined ? response : readUnder(options.signal, response)
  }
}

function nameOf(content: Blob | Uint8Array | string): string {
  const name = content instanceof Blob && 'name' in content ? content.name : undefined
  return typeof name === 'string' && name !== '' ? name : 'file'
}

/** The same answer, whose body ends when the signal aborts. */
function readUnder(signal: AbortSignal, { body, status, headers }: Response): Response {
  return new Response(body?.pipeThrough(new TransformStream(), { signal }), { status, headers })
}
