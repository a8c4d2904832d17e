import { sql } from 'kysely'
import type { Database } from '../db/client.ts'
import { contentsLost, type ContentKey, type Contents } from './contents.ts'
import { fullPieces } from './full-pieces.ts'

const chunkBytes = 1024 * 1024
/**
 * Bytes per read: as base64 they fit what a socket delivers at once. Larger results are joined from
 * many buffers into strings outside the young heap, which makes ten times their size of garbage.
 */
const readBytes = 45 * 1024

/** Contents in PostgreSQL, a megabyte for each row, written and read in separate statements. */
export class DatabaseContents implements Contents {
  readonly name = 'database'
  readonly isDatabase = true
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async put(key: ContentKey, parts: AsyncIterable<Uint8Array>): Promise<void> {
    let position = 0
    for await (const body of fullPieces(parts, chunkBytes)) {
      await sql`
        insert into file_chunks (account_id, content_id, position, body)
        values (${key.accountId}, ${key.contentId}, ${position}, ${body})`.execute(this.#database)
      position++
    }
  }

  async *read(key: ContentKey, start: number, end: number): AsyncGenerator<Uint8Array> {
    for (let at = start; at < end;) {
      const position = Math.floor(at / chunkBytes)
      const from = at - position * chunkBytes
      const length = Math.min(end - at, chunkBytes - from, readBytes)
      const { rows } = await sql<{ body: string }>`
        select encode(substring(body from ${from + 1}::int for ${length}::int), 'base64') as body
        from file_chunks
        where account_id = ${key.accountId} and content_id = ${key.contentId}
          and position = ${position}::int`.execute(this.#database)
      const body = Buffer.from(rows[0]?.body ?? '', 'base64')
      if (body.length !== length) throw contentsLost(key, this.name, at)
      yield body
      at += length
    }
  }

  async delete({ accountId, contentId }: ContentKey): Promise<void> {
    await sql`
      delete from file_chunks
      where account_id = ${accountId} and content_id = ${contentId}`.execute(this.#database)
  }
}
