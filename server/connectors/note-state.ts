import type { Services } from '../context.ts'
import { logFailure } from '../db/outage.ts'
import { noteState, type StoredConnector } from './store.ts'

/** Whether what an account connected works, as its last test or use found. */
export interface Finding {
  ok: boolean
  /** In words, without secrets. */
  message: string
}

/** The same finding is written once in this time: calls are many, and each tells the same. */
const sameForMs = 60_000
const maxRemembered = 10_000
const remembered = new Map<string, { ok: boolean; at: number }>()

/** Records what a real use of a connector found; a failure to do so is logged. */
export async function noteUse(
  { database, log }: Pick<Services, 'database' | 'log'>,
  accountId: string,
  connector: Pick<StoredConnector, 'id' | 'version'>,
  finding: Finding,
): Promise<void> {
  if (!isNews(accountId, connector, finding.ok)) return
  await noteState(database, accountId, connector, finding).catch((error: unknown) => {
    remembered.delete(keyOf(accountId, connector))
    logFailure(log, error, 'the state of a connector was not noted', { connector: connector.id })
  })
}

function isNews(
  accountId: string,
  connector: Pick<StoredConnector, 'id' | 'version'>,
  ok: boolean,
): boolean {
  const key = keyOf(accountId, connector)
  const last = remembered.get(key)
  const now = performance.now()
  if (last?.ok === ok && now - last.at < sameForMs) return false
  if (remembered.size >= maxRemembered) remembered.clear()
  remembered.set(key, { ok, at: now })
  return true
}

function keyOf(
  accountId: string,
  { id, version }: Pick<StoredConnector, 'id' | 'version'>,
): string {
  return `${accountId} ${id} ${version}`
}
