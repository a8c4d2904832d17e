import { setTimeout } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { visibleText } from '../../safe-text.ts'
import type { ToolResult } from '../../tools/contract.ts'
import type { Exchange, ExchangeOptions } from './exchange.ts'
import type { McpSession } from './session.ts'
import { toTask, type McpTask } from './task-message.ts'

/**
 * Follows a task until it ends, within the time of its call. Each poll shows that the server is still working. A poll is
 * repeated after a broken connection, because it changes nothing.
 */
export async function followTask(
  session: McpSession,
  task: McpTask,
  asked: ExchangeOptions,
): Promise<ToolResult> {
  const { taskId } = task
  const ask = (method: 'tasks/get' | 'tasks/result' | 'tasks/cancel') =>
    session.run(asked, (client, exchange) => request(client, exchange, method, taskId))
  let current = task
  for (let failures = 0; ;) {
    switch (current.status) {
      case 'completed': {
        const result = current.result ?? (await ask('tasks/result'))
        return toResult(result)
      }
      case 'failed':
        return failed(`its task failed: ${reasonOf(current)}`)
      case 'cancelled':
        return failed('its server cancelled the task')
      case 'input_required':
        await ask('tasks/cancel').catch(() => undefined)
        return failed('its task asks a person for input, which Muster cannot give')
    }
    await setTimeout(pauseOf(current), undefined, { signal: asked.signal })
    try {
      current = toTask(await ask('tasks/get')) ?? current
      failures = 0
      asked.onProgress?.()
    } catch (error) {
      if (!(error instanceof OutboundError) || error.kind === 'aborted') throw error
      if (++failures === maxFailures) throw error
    }
  }
}

/** Failed polls in a row after which the outcome counts as unknown. */
const maxFailures = 3
const pauseMs = { default: 1_000, min: 50, max: 30_000 }

function pauseOf({ pollIntervalMs, pollInterval }: McpTask): number {
  const asked = Number(pollIntervalMs ?? pollInterval ?? pauseMs.default)
  if (Number.isNaN(asked)) return pauseMs.default
  return Math.min(Math.max(asked, pauseMs.min), pauseMs.max)
}

function request(
  client: Client,
  { signal, timeoutMs: timeout }: Exchange,
  method: string,
  taskId: string,
): Promise<unknown> {
  return client.request({ method, params: { taskId } }, anything, { signal, timeout })
}

const anything = {
  '~standard': { version: 1, vendor: 'muster', validate: (value: unknown) => ({ value }) },
} as const

/** `readMessage` has reduced the content of the result to one text. */
function toResult(result: unknown): ToolResult {
  const { content, isError } = (result ?? {}) as {
    content?: { text?: string }[]
    isError?: boolean
  }
  const output = content?.[0]?.text ?? '[no content]'
  return { status: isError === true ? 'failed' : 'succeeded', output }
}

function failed(why: string): ToolResult {
  return { status: 'failed', output: `The call failed: ${why}` }
}

function reasonOf({ error, statusMessage }: McpTask): string {
  const message = (error as { message?: unknown } | undefined)?.message ?? statusMessage
  return typeof message === 'string' && message !== ''
    ? visibleText(message.slice(0, 2_000))
    : 'without a reason'
}
