import type { Database } from '../db/client.ts'
import { parseAllowedNetworks } from '../outbound/address.ts'
import type { EgressProxy } from '../outbound/egress-proxy.ts'
import { createGuardedTransport } from '../outbound/guarded-transport.ts'
import { lookUpBySystem } from '../outbound/guarded-connect.ts'
import { ContentStores } from './contents.ts'
import { DatabaseContents } from './database-store.ts'
import { S3Contents } from './s3-contents.ts'
import type { S3Settings } from './s3-settings.ts'

export interface FilesConfig {
  /** Store of new contents; undefined for the database. */
  store: S3Settings | undefined
  /** Stores of earlier settings. */
  otherStores: S3Settings[]
}

/** The stores of a process. The database is always included, because contents may be in it. */
export function openContents(
  database: Database,
  { store, otherStores }: FilesConfig,
  proxy: EgressProxy | undefined,
): ContentStores {
  // The operator chose these addresses, which may be private.
  const allowedNetworks = parseAllowedNetworks('0.0.0.0/0,::/0')
  const transport = createGuardedTransport({ allowedNetworks, proxy, lookup: lookUpBySystem })
  const open = (settings: S3Settings) => new S3Contents({ settings, transport })
  const inDatabase = new DatabaseContents(database)
  const others = otherStores.map(open)
  return store === undefined
    ? new ContentStores(inDatabase, others, transport)
    : new ContentStores(open(store), [inDatabase, ...others], transport)
}
