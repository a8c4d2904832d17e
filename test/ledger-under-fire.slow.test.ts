import { it } from 'node:test'
import { tryLedger } from './ledger-fire.ts'

it('the ledger does each approved action once while workers are killed again and again', (t) =>
  tryLedger(t, { runs: 150, workers: 4, kills: 12, killEveryMs: 700 }))
