import type { CallToolResult } from '@modelcontextprotocol/server'
import { listWaiting } from '../engine/reads/waiting.ts'
import type { WaitingRun } from '../engine/wire/pending.ts'
import { cannot, notFound } from '../errors.ts'
import { newId } from '../ids.ts'
import { readPolicies } from '../policies/read.ts'
import { listPending } from '../runs/list.ts'
import { respondToRun } from '../runs/respond.ts'
import { text } from './answers.ts'
import { contextOf, type Call } from './call.ts'

/** The inbox as tools. A model may answer where one person's word counts, and never where it has to be another's. */

const mostListed = 50

export async function listInbox(call: Call): Promise<CallToolResult> {
  const ctx = contextOf(call, 'list pending requests')
  const page = { limit: mostListed, after: undefined }
  const { items, next } = await listPending(ctx, page, {})
  const data = items.flatMap(({ run_id: id, workflow_name: workflow, pending }) =>
    (pending.calls ?? [pending]).map((one) => ({
      pending_id: one.id,
      kind: one.kind,
      prompt: one.prompt,
      url: `${ctx.publicUrl}/inbox/${one.id}`,
      run_id: id,
      workflow,
      role: pending.role,
      ...(one.tool !== undefined && { tool: one.tool, tool_input: one.tool_input }),
      created_at: pending.created_at.toISOString(),
      expires_at: pending.expires_at?.toISOString() ?? null,
    })),
  )
  const lines = data.map(
    ({ pending_id: id, kind, workflow, prompt, url }) =>
      `${id} (${kind}, ${workflow}): ${prompt} ${url}`,
  )
  const more = next === undefined ? [] : [`More wait, see ${ctx.publicUrl}/inbox`]
  const words = lines.length === 0 ? ['Nothing waits for a person.'] : [...lines, ...more]
  return {
    content: [text(words.join('\n'))],
    structuredContent: { data, has_more: next !== undefined },
  }
}

interface InboxAnswer {
  pending_id: string
  action: 'input' | 'approve' | 'reject'
  input?: string
  reason?: string
}

export async function answerInbox(call: Call, answer: InboxAnswer): Promise<CallToolResult> {
  const ctx = contextOf(call, 'answer pending request', { word: 'run.responded' })
  const { pending_id: id } = answer
  const [waiting] = await listWaiting(ctx.database, ctx.accountId, { limit: 1, pendingId: id })
  if (waiting === undefined) throw notFound(ctx, 'pending request', id)
  const request = waiting.pending.calls?.find((one) => one.id === id) ?? waiting.pending
  const { four_eyes: fourEyes } = await readPolicies(ctx.database, ctx.accountId)
  refuseForOthers(request, fourEyes, `${ctx.publicUrl}/inbox/${id}`)
  const { status } = await respondToRun(ctx, waiting.run_id, newId('evt'), answer)
  const handle = { run_id: waiting.run_id, status, url: `${ctx.publicUrl}/runs/${waiting.run_id}` }
  const words = `The answer is recorded. The run is ${status}; call run_wait with the run_id ${handle.run_id} for its output.`
  return { content: [text(words)], structuredContent: handle }
}

/** A question may always be answered. */
function refuseForOthers(
  { kind, approvals }: Pick<WaitingRun['pending'], 'kind' | 'approvals'>,
  fourEyes: boolean,
  url: string,
): void {
  if (kind === 'input') return
  const asked = { action: 'answer pending request' }
  const open = `a person has to decide, at ${url}`
  if (fourEyes) {
    const why = `the account's policy is four eyes, so ${open}`
    throw cannot(asked, 'four_eyes', why)
  }
  const required = approvals?.required ?? 1
  if (required === 1) return
  throw cannot(asked, 'user_required', `${required} people have to approve it, so ${open}`)
}
