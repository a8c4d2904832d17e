import { FilesResource, type StoredFile } from './generated.ts'
import type { RequestOptions } from './transport.ts'

/** File methods in addition to the generated ones: upload and download of contents. */
export interface UploadOptions extends RequestOptions {
  /**
   * Name of the file; by default that of a `File`. Its extension distinguishes Markdown, CSV and
   * JSON from plain text.
   */
  name?: string
}

export interface ContentOptions extends RequestOptions {
  /**
   * Bytes from `start` up to, but not including, `end`; to the end of the file if `end` is left
   * out.
   */
  range?: { start: number; end?: number }
}

export class Files extends FilesResource {
  /**
   * Uploads up to 32 MB: a `Blob` or `File`, bytes, or a text. The type is detected from the bytes.
   * Retries of the call create only one file.
   */
  upload(
    content: Blob | Uint8Array | string,
    { name = fileName(content), ...options }: UploadOptions = {},
  ): Promise<StoredFile> {
    const body = new FormData()
    body.append('file', content instanceof Blob ? content : new Blob([content as string]), name)
    return this.transport.data({ method: 'POST', path: '/v1/files', body }, options)
  }

  /**
   * The response with the bytes of a file, as soon as it starts: `await response.arrayBuffer()`, or
   * `response.body` to stream it. The timeout covers its headers; `signal` also aborts reading the
   * body.
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

function fileName(content: Blob | Uint8Array | string): string {
  const name = content instanceof Blob && 'name' in content ? content.name : undefined
  return typeof name === 'string' && name !== '' ? name : 'file'
}

/** The same response, whose body ends when the signal aborts. */
function readUnder(signal: AbortSignal, { body, status, headers }: Response): Response {
  return new Response(body?.pipeThrough(new TransformStream(), { signal }), { status, headers })
}
