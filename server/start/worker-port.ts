import { findTunedModel } from '../account-models/account-models.ts'
import { readAgentsForRuns } from '../agents/agents.ts'
import { findForbidden } from '../agents/forbidden-calls.ts'
import { reserveCall } from '../budgets/reserve.ts'
import { openTools } from '../connectors/open-tools.ts'
import type { Services } from '../context.ts'
import type { WorkerPort } from '../engine/port.ts'
import { openFileTools } from '../files/for-agents/open-tools.ts'
import { readStepFiles, StepFiles } from '../files/for-agents/step-files.ts'
import { storeAnswer, writeFile } from '../files/for-agents/write-file.ts'
import { keepNote } from '../memory/keep-note.ts'
import { haveMemory, recallMemory } from '../memory/recall.ts'
import { KnownRules, readPolicies } from '../policies/read.ts'

/** Answers what workers ask from the rooms of the process. */
export function openWorkerPort(services: Services): WorkerPort {
  const { database, accountModels, mcpSessions } = services
  const rules = new KnownRules(database)
  return {
    modelsOf: (accountId) => accountModels.of(accountId),
    findTunedModel: (accountId, models, id) =>
      findTunedModel({ ...services, models }, accountId, id),
    readAgents: (keys) => readAgentsForRuns(database, keys),
    findForbidden: (judging, calls) => findForbidden(services, judging, calls),
    readPolicies,
    knownRules: (accountId) => rules.of(accountId),
    openTools: (accountId, capabilities) => openTools(services, accountId, capabilities),
    endRun: (runId) => mcpSessions.end(runId),
    haveMemory: (wanted) => haveMemory(database, wanted),
    recallMemory: (accountId, scope, input) => recallMemory(database, accountId, scope, input),
    keepNote,
    openFiles: async (run, position) => {
      const files = await readStepFiles(database, run, position)
      if (files.length === 0) return undefined
      const opened = new StepFiles(services, run.accountId, files)
      const tools = openFileTools(services, run)
      return { attach: (model, messages) => opened.attach(model, messages), tools }
    },
    writeFile: (writer, call) => writeFile(services, writer, call),
    storeAnswer: (writer, callId, answer) => storeAnswer(services, writer, callId, answer),
    reserveCall: (subject, estimateUsd, passed) =>
      reserveCall(database, subject, estimateUsd, passed),
  }
}
