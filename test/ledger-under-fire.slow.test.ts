import { it } from 'node:test'
import { tryLedger } from './ledger-fire.ts'

it('the ledger does each approved action once while workers are killed every second', (t) =>
  tryLedger(t, { runs: 300, workers: 6, kills: 15, killEveryMs: 1_000 }))
