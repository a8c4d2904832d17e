import type { AuditFilter } from '../server/audit/store.ts'
import { warningTerm } from '../server/engine/journal/search-terms.ts'
import type { RunFilter } from '../server/engine/reads/search.ts'
import type { listWaiting } from '../server/engine/reads/waiting.ts'

/**
 * Filters of lists over the data of `rig/fill-skewed.ts`: what many have, what few have, and what
 * none has.
 */
export const runs: Record<string, Partial<RunFilter>> = {
  'a status': { statuses: ['failed'] },
  'cancelled ones': { statuses: ['cancelled'] },
  'the status of most': { statuses: ['completed'] },
  'an open status': { statuses: ['waiting_input'] },
  'no status': { statuses: ['running'] },
  'an error': { errorCodes: ['step_failed'] },
  'an error that no run had': { errorCodes: ['internal'] },
  'a workflow': { workflowId: 'wf_3' },
  'a workflow without runs': { workflowId: 'wf_none' },
  'a time long ago': { createdBefore: new Date(Date.now() - 100_000_000) },
  'the last minutes': { createdAfter: new Date(Date.now() - 600_000) },
  'an agent': { marks: ['agent agt_3'] },
  'a tag of a third': { marks: ['tag env:prod'] },
  'a tag of some': { marks: ['tag customer:t17'] },
  'a tag of few': { marks: ['tag rare:yes'] },
  'a tag of none': { marks: ['tag a:b'] },
  'a warning': { marks: [warningTerm] },
  'a word of all texts': { words: ['lorem'] },
  'two words of all texts': { words: ['lorem', 'dolor'] },
  'a word of some': { words: ['t17'] },
  'a word of some texts': { words: ['dragon'] },
  'a word of few texts': { words: ['unicorn'] },
  'a word of none': { words: ['griffin'] },
  'a cost': { minCostUsd: 0.02 },
  'a cost that no run had': { minCostUsd: 5 },
}

export const waiting: Record<string, Partial<Parameters<typeof listWaiting>[2]>> = {
  'no filter': {},
  'a workflow': { workflow_id: 'wf_3' },
  'a workflow where none wait': { workflow_id: 'wf_none' },
  'an action of most': { action: 'email.send' },
  'an action of few': { action: 'slack.post' },
  'an action of none': { action: 'hubspot.create' },
  'a question': { action: 'input' },
  'an assignee': { assignee: 'usr_1' },
  'an assignee of none': { assignee: 'usr_3' },
  'a time': { before: new Date(Date.now() - 50_000_000) },
  'a text of all': { q: 'yyy' },
  'a request': { pendingId: `pnd_${String(11 * 3000 + 3).padStart(26, '0')}` },
  'a request that is gone': { pendingId: 'pnd_0' },
}

export const audit: Record<string, AuditFilter> = {
  'no filter': {},
  changes: { kind: 'changes' },
  activity: { kind: 'activity' },
  'an actor': { actor_id: 'key_1' },
  'an actor without entries': { actor_id: 'key_9' },
  'an object': { object_id: 'obj_7' },
  'an action of all': { action: 'run.triggered' },
  'an action': { action: 'workflow.updated' },
  'an action of none': { action: 'workflow.deleted' },
  'a time': { to: new Date(Date.now() - 15_000_000) },
}

/** Each filter alone, and with each other of another kind. */
export function pairs<T extends object>(filters: Record<string, T>): [string, T][] {
  const names = Object.keys(filters)
  return names.flatMap((first, place) =>
    names.slice(place).flatMap((second): [string, T][] => {
      const [a, b] = [filters[first] as T, filters[second] as T]
      const isSame = Object.keys(a).some((key) => key !== 'marks' && key in b)
      if (first === second) return [[first, a]]
      if (isSame || Object.keys(a).length === 0 || Object.keys(b).length === 0) return []
      const marks = [...marksOf(a), ...marksOf(b)]
      return [[`${first} and ${second}`, { ...a, ...b, ...(marks.length > 0 && { marks }) }]]
    }),
  )
}

function marksOf(filter: object): string[] {
  return 'marks' in filter ? (filter.marks as string[]) : []
}
