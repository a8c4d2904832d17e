import { done } from '../../work/outcome.ts'
import { settleRows } from '../../work/table.ts'
import type { Work } from '../../work/worker.ts'
import { dueDocuments, type DueDocument } from '../http/http-store.ts'
import { testHttp, type Reading } from './reread.ts'

/** Reading documents again as work, each once a day, whether it can be read or not. */
export function documentWork(services: Reading, everyMs: number): Work<DueDocument> {
  return {
    what: 'reading a document again',
    table: dueDocuments,
    atOnce: 4,
    perAccount: 2,
    everyMs,
    run: async (row) => done(await testHttp(services, row.accountId, row)),
    async settle(settled) {
      const rows = settled.map(({ accountId, item: { id } }) => ({
        accountId,
        id,
        isCertain: false,
        waitSeconds: daySeconds,
        values: {},
      }))
      await settleRows(services.database, dueDocuments, rows)
    },
  }
}

const daySeconds = 86_400
