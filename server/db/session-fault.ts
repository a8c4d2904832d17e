import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { sentSettings } from './client.ts'

/**
 * Why a database cannot be used through a connection pooler; undefined if it can. In transaction or
 * statement mode, settings of a session are not preserved: while other connections are in a
 * transaction, the first one is given another server. A pooler in session mode may drop settings
 * that are sent with the connection. Uses three connections of the pool.
 */
export async function findSessionFault(pool: Pick<Pool, 'connect'>): Promise<string | undefined> {
  const [first, ...others] = await Promise.all([pool.connect(), pool.connect(), pool.connect()])
  const value = randomUUID()
  try {
    await first.query(`select set_config('muster.session_probe', $1, false)`, [value])
    for (const other of others) await other.query('begin')
    const { rows } = await first.query<{ name: string; value: string | null }>(
      'select name, current_setting(name, true) as value from unnest($1::text[]) as name',
      [['muster.session_probe', ...Object.keys(sentSettings)]],
    )
    const found = new Map(rows.map((row) => [row.name, row.value]))
    if (found.get('muster.session_probe') !== value) return transactionMode
    const absent = Object.entries(sentSettings).filter(
      ([name, sent]) => found.get(name)?.startsWith(sent) !== true,
    )
    if (absent.length === 0) return undefined
    const settings = absent.map(([name, sent]) => `set ${name} = '${sent}'`).join(', ')
    return `settings that are sent with a connection do not arrive; set them on the role (alter role … ${settings})`
  } catch (error) {
    if (/statement pooling/i.test(String(error))) return transactionMode
    throw error
  } finally {
    // Closed, because they may be in a transaction.
    for (const client of [first, ...others]) client.release(true)
  }
}

const transactionMode =
  'what is set on a connection does not stay with it, as behind a pooler in transaction mode'
