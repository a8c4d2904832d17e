import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Context } from '../context.ts'
import { isTerminal } from '../engine/run/run.ts'
import type { Run } from '../engine/wire/run.ts'
import { findPerson } from '../people/find-person.ts'
import { builtInTools } from '../workflows/exposure.ts'

/** What calls answer: the output of a run that has ended, or the handle of one that has not. */

/** The `_meta` key with the run behind a result. */
export const runKey = 'muster/run'

/** How a model finds the run again, and what a person opens. */
export interface Handle {
  run_id: string
  status: Run['status']
  url: string
  /** What the run waits for. */
  pending?: { pending_id: string; kind: string; prompt: string; url: string }
}

/** JSON Schema of a `Handle`. */
export const handleSchema = {
  type: 'object',
  description: 'The run goes on, or waits for a person.',
  properties: {
    run_id: { type: 'string', description: 'Pass it to `run_wait` for the answer.' },
    status: { type: 'string', enum: ['queued', 'running', 'waiting_input', 'failed'] },
    url: { type: 'string', description: 'The page of the run, for people.' },
    pending: {
      type: 'object',
      description: 'What the run waits for a person to decide.',
      properties: {
        pending_id: { type: 'string' },
        kind: { type: 'string', enum: ['input', 'approval', 'budget'] },
        prompt: { type: 'string' },
        url: { type: 'string', description: 'Where a person answers it.' },
      },
      required: ['pending_id', 'kind', 'prompt', 'url'],
    },
  },
  required: ['run_id', 'status', 'url'],
}

export async function resultOf(
  ctx: Pick<Context, 'reads' | 'accountId' | 'publicUrl'>,
  run: Run,
): Promise<CallToolResult> {
  const handle = handleOf(ctx, run)
  const _meta = { [runKey]: { id: run.id, status: run.status, url: handle.url } }
  if (run.status === 'failed') {
    return { content: [text(run.error ?? 'The run failed.')], isError: true, _meta }
  }
  if (run.status === 'completed') {
    return {
      content: [text(run.output ?? '')],
      ...(run.output_json !== null && {
        structuredContent: run.output_json,
      }),
      _meta,
    }
  }
  return {
    content: [text(await wordsOf(ctx, run, handle))],
    structuredContent: { ...handle },
    _meta,
  }
}

/** About a message of a conversation whose run has not begun, or never will. */
export function unbegunTurn(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  { runId, threadId }: { runId: string; threadId: string },
  turn: 'queued' | { why: string },
): CallToolResult {
  const url = `${publicUrl}/threads/${threadId}`
  if (turn !== 'queued') return { content: [text(`No run was begun: ${turn.why}`)], isError: true }
  const words = `The message waits for its turn in the conversation. Call run_wait with the run_id ${runId} when it has begun, or open ${url}`
  const structuredContent = { run_id: runId, status: turn, url }
  return { content: [text(words)], structuredContent }
}

export function handleOf(
  { publicUrl }: Pick<Context, 'publicUrl'>,
  { id, status, pending }: Pick<Run, 'id' | 'status' | 'pending'>,
): Handle {
  const handle: Handle = { run_id: id, status, url: `${publicUrl}/runs/${id}` }
  if (pending === null || isTerminal(status)) return handle
  const { id: pendingId, kind, prompt } = pending
  const url = `${publicUrl}/inbox/${pendingId}`
  return { ...handle, pending: { pending_id: pendingId, kind, prompt, url } }
}

/** A sentence that a model can pass on to a person. */
export async function wordsOf(
  ctx: Pick<Context, 'reads' | 'accountId'>,
  { status, pending }: Pick<Run, 'status' | 'pending'>,
  handle: Handle,
): Promise<string> {
  if (pending === null || handle.pending === undefined) {
    const [, wait] = builtInTools
    return `The run is ${status}. Call ${wait} with the run_id ${handle.run_id} for its answer, or open ${handle.url}`
  }
  const people = await namesOf(ctx, pending.approvers)
  const what = pending.kind === 'input' ? 'an answer from' : 'approval by'
  return `The run waits for ${what} ${people}, open ${handle.pending.url}\n\n${pending.prompt}`
}

/** Names of more people are left out. */
const mostNames = 5

async function namesOf(
  { reads, accountId }: Pick<Context, 'reads' | 'accountId'>,
  { users, roles }: NonNullable<Run['pending']>['approvers'],
): Promise<string> {
  const people = await Promise.all(
    users.slice(0, mostNames).map((id) => findPerson(reads, accountId, { id })),
  )
  const names = people.flatMap((person) => person?.name ?? [])
  const ofRoles = roles.map(
    (role) => `${role === 'approver' || role === 'admin' ? 'an' : 'a'} ${role}`,
  )
  const all = [...names, ...ofRoles]
  const list = new Intl.ListFormat('en', { type: 'disjunction' })
  return all.length === 0 ? 'a person' : list.format(all)
}

export function text(words: string): { type: 'text'; text: string } {
  return { type: 'text', text: words }
}
