import { it } from 'node:test'
import { checkStatements, type Statements } from '../../db/test-statements.ts'
import { noUsage } from '../../models/contract.ts'
import { fetched } from '../queue/dispatch.ts'
import { noClaim } from '../queue/jobs.ts'
import { failStep, finishStep, type Fence } from '../run/run.ts'
import { beginStep } from '../run/step.ts'
import { insertRuns } from './begin.ts'
import { insertContinuation } from './continue.ts'
import { applyChanges, giveBackTime, releaseRun } from './boundary.ts'
import { readDefinitions, readVersions, readWorkflows, saveDefinitions } from './definitions.ts'
import { lockExpired } from './expire.ts'
import { insertInputs, insertOutput } from './files.ts'
import { readTurns, settleLate, writeLedger } from './calls.ts'
import { deleteOfOldRuns, eraseJobs } from './prune.ts'
import { decideCall, editCall, lockRun, resumeRun, waitOn } from './respond.ts'
import { clearProbation, readCandidates, takeRuns } from './take.ts'
import { countLate } from './record.ts'
import { allAccounts } from '../../db/run.ts'

/**
 * `statements.sql` shows each statement of the journal as PostgreSQL gets it, in each shape. This
 * test fails if it differs; `npm run statements` writes it.
 */
const path = new URL('statements.sql', import.meta.url)

const fence: Fence = { accountId: 'acc_1', runId: 'run_1', attempt: 1 }
const { accountId, runId } = fence
const step = beginStep(runId, 0, { role: 'clerk', model: 'm', agentId: null })
const linked = { ...step, agentId: 'agt_1' }
const events = [{ id: 'evt_1', type: 'run.started', data: {} } as const]
const definition = { accountId, hash: 'aa', body: {} as never }
const newRun = {
  id: runId,
  accountId,
  workflowId: 'wf_1',
  input: 'go',
  data: null,
  tags: undefined,
  triggeredBy: { id: 'key_1', name: 'n' },
  checked: null,
  audit: undefined,
  defaultModel: 'm',
}
const { data: _, ...continued } = newRun
const start = { state: 's', version: 1, definition, step, events }
const take = {
  ...fence,
  lastSequence: 1,
  definitionHash: 'aa',
  hasWaited: false,
  events,
}
const call = {
  id: 'call_1',
  turn: 0,
  position: 0,
  providerCallId: 'c',
  tool: 'email.send',
  sensitive: true,
  toolVersion: null,
  toolChanged: false,
  timesMade: 0,
  input: {},
  status: 'proposed',
  output: null,
  unknownReason: null,
  decision: null,
} as const
const facts = {
  durationMs: 1,
  requestId: null,
  toolsHash: null,
  finishReason: 'stop',
  model: 'm',
} as const
const failure = { code: 'step_failed', message: 'm' } as const
const pending = { id: 'pnd_1', kind: 'approval', call_id: 'call_1' } as never

const statements: Statements = {
  'begin: a run is triggered': (database) => insertRuns(database, [newRun]),
  'begin: a run with tags is triggered, and started by the same statement': (database) =>
    insertRuns(database, [{ ...newRun, tags: { a: 'b' }, start }], noClaim),
  'begin: a run is triggered with a version': (database) =>
    insertRuns(database, [{ ...newRun, workflowVersion: 1 }]),
  'begin: a failed run is retried': (_, transaction) =>
    insertContinuation(transaction, { ...continued, originalId: 'run_0', stepIds: ['step_0'] }),
  'begin: a run is forked': (_, transaction) =>
    insertContinuation(transaction, {
      ...newRun,
      originalId: 'run_0',
      stepIds: ['step_0'],
      fork: { isFrozen: true },
    }),
  'take: what a worker reads of runs': (database) =>
    readCandidates(database, [fetched({ accountId, runId })]),
  'take: runs are taken': (database) => takeRuns(database, 'worker', [{ ...take, step }]),
  'take: runs of standing agents are taken': (database) =>
    takeRuns(database, 'worker', [{ ...take, step: linked }]),
  'take: probation ends': (database) => clearProbation(database, [fence]),
  'boundary: steps end and begin': (database) =>
    applyChanges(database, [finishStep(fence, step, 'out', noUsage, step)]),
  'boundary: steps end, and a run fails': (database) =>
    applyChanges(database, [failStep(fence, step, failure)]),
  'boundary: a run is held for a provider or a worker': (database) =>
    releaseRun(database, fence, {
      position: 0,
      tries: 1,
      usage: noUsage,
      delaySeconds: 1,
      held: { reason: 'no_worker', message: 'm', lostMs: 1 },
    }),
  'boundary: a run is released': (database) =>
    releaseRun(database, fence, { position: 0, tries: 1, usage: noUsage, delaySeconds: 1 }),
  'boundary: a suspension gives back its time': (_, transaction) =>
    giveBackTime(transaction, accountId),
  'ledger: a turn and its calls': (database) =>
    writeLedger(database, fence, {
      position: 0,
      turn: { number: 0, message: {}, calls: [call], problem: null, facts },
      events,
    }),
  'ledger: the outcome of a call after the end of its run': (database) =>
    settleLate(database, fence, {
      id: 'call_1',
      status: 'succeeded',
      output: '',
      unknownReason: null,
    }),
  'ledger: the turns of a step': (database) => readTurns(database, fence, 0),
  'respond: a run is locked': (_, transaction) => lockRun(transaction, fence),
  'respond: a run goes on': (_, transaction) => resumeRun(transaction, fence, events),
  'respond: a run waits on': (_, transaction) => waitOn(transaction, fence, pending, events),
  'respond: a call is decided': (_, transaction) =>
    decideCall(transaction, {
      ...fence,
      callId: 'call_1',
      decision: 'approved',
      status: 'approved',
      output: null,
      decidedBy: null,
      approvals: [],
    }),
  'respond: a call is edited': (_, transaction) =>
    editCall(transaction, { ...fence, callId: 'call_1' }, {}),
  'expire: waits whose time is over': (_, transaction) =>
    lockExpired(transaction, 100, allAccounts),
  'usage: what a lost worker used': (database) =>
    countLate(database, { ...fence, position: 0 }, noUsage),
  'definitions: workflows to freeze': (database) =>
    readWorkflows(database, [{ accountId, id: 'wf_1' }]),
  'definitions: versions': (database) =>
    readVersions(database, [{ accountId, id: 'wf_1', version: 1 }]),
  'definitions: read': (database) => readDefinitions(database, [definition]),
  'definitions: stored': (database) => saveDefinitions(database, [definition]),
  'files: given to a run': (_, transaction) => insertInputs(transaction, fence, ['fil_1']),
  'files: written by a step': (_, transaction) =>
    insertOutput(transaction, fence, 0, { id: 'fil_1', name: 'n', media_type: 't', bytes: 1 }),
  'prune: events of old runs': (_, transaction) =>
    deleteOfOldRuns(transaction, 'events', {
      accountId,
      id: '',
      isBegun: false,
      days: 1,
      limit: 1_000,
    }),
  'prune: jobs of an account that is deleted': (_, transaction) =>
    eraseJobs(transaction, accountId),
}

void it('statements.sql shows each statement as PostgreSQL gets it', () =>
  checkStatements(path, 'Each statement of the journal', statements))
