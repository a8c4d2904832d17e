import { sql, type Selectable } from 'kysely'
import type { SealedPlace, SecretBox } from '../secret-box.ts'
import type { Database, Transaction } from '../db/client.ts'
import type { StateRow } from '../db/connection-state.ts'
import { OwnedTable } from '../db/owned-table.ts'
import type { Tables } from '../db/generated-tables.ts'
import type { OwnModel } from '../models/routing.ts'

/** A model provider that an account connected. */
export interface ProviderRow extends StateRow {
  id: string
  label: string | null
  api_key: Buffer | null
  version: string
  base_url: string | null
  timeout_seconds: number | null
  models: OwnModel[]
}

export const maxProvidersPerAccount = 20

export const modelProviders = new OwnedTable<ProviderRow>('model_providers', [
  'id',
  'label',
  'api_key',
  'version',
  'base_url',
  'timeout_seconds',
  'models',
  'checked_at',
  'failing_since',
  'check_message',
])

/** The account's providers, in the order in which they were connected. */
export async function listStored(database: Database, accountId: string): Promise<ProviderRow[]> {
  const { rows } = await sql<ProviderRow>`
    select ${modelProviders.fields} from model_providers
    where account_id = ${accountId} order by created_at, id`.execute(database)
  return rows
}

/** Whether any account has connected a provider. */
export async function hasProviders(database: Database): Promise<boolean> {
  const { rows } = await sql`select from model_providers limit 1`.execute(database)
  return rows.length > 0
}

/** Keys are stored encrypted, each bound to its account and provider. */
export function sealKey(secrets: SecretBox, accountId: string, id: string, key: string): Buffer {
  return secrets.seal(Buffer.from(key), keyPlace(accountId, id))
}

/** Undefined for a server without a key. */
export function openKey(
  secrets: SecretBox,
  accountId: string,
  { id, api_key: sealed }: Pick<ProviderRow, 'id' | 'api_key'>,
): string | undefined {
  return sealed === null ? undefined : secrets.open(sealed, keyPlace(accountId, id)).toString()
}

export function keyPlace(accountId: string, id: string): SealedPlace {
  return ['model_provider', accountId, id]
}

/** Channel of notices to other processes; the payload is the account. */
export const changeChannel = 'muster_model_providers'

/**
 * Notifies other processes, when the transaction commits, to read the account's providers again.
 */
export async function notifyChange(transaction: Transaction, accountId: string): Promise<void> {
  await sql`select pg_notify(${changeChannel}, ${accountId})`.execute(transaction)
}

/** The columns of a fine-tune that describe its model. */
export type TunedRow = Pick<
  Selectable<Tables['fine_tunes']>,
  | 'id'
  | 'name'
  | 'provider'
  | 'base_model'
  | 'base_model_label'
  | 'fine_tuned_model'
  | 'inference_rate_in'
  | 'inference_rate_out'
>

const fineTunes = new OwnedTable<TunedRow>('fine_tunes')

/** The fine-tune whose model has this id. */
export function findByModel(
  database: Database,
  accountId: string,
  modelId: string,
): Promise<TunedRow | undefined> {
  return fineTunes.find(database, accountId, { fine_tuned_model: modelId, deleted_at: null })
}

/** Fine-tunes that have a model, newest first. */
export async function listTuned(
  database: Database,
  accountId: string,
  limit: number,
): Promise<TunedRow[]> {
  const where = { status: 'succeeded', deleted_at: null } as const
  return (await fineTunes.list(database, accountId, { limit }, where)).items
}
