import { PostgresAdapter, PostgresDialect, type Kysely, type PostgresDialectConfig } from 'kysely'

/** The dialect of PostgreSQL, which knows whether the tables are spread over nodes by account. */
export class SpreadDialect extends PostgresDialect {
  readonly #isDistributed: boolean

  constructor(config: PostgresDialectConfig, isDistributed: boolean) {
    super(config)
    this.#isDistributed = isDistributed
  }

  override createAdapter(): SpreadAdapter {
    return new SpreadAdapter(this.#isDistributed)
  }
}

/** What a database and its transactions have in common. */
class SpreadAdapter extends PostgresAdapter {
  readonly isDistributed: boolean

  constructor(isDistributed: boolean) {
    super()
    this.isDistributed = isDistributed
  }
}

/** Whether the tables are spread over nodes: then a statement keeps to one account. */
export function isSpread(database: Pick<Kysely<never>, 'getExecutor'>): boolean {
  const { adapter } = database.getExecutor()
  return adapter instanceof SpreadAdapter && adapter.isDistributed
}
