import { recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import { boundedOutput } from '../../engine/run/messages.ts'
import { cannot } from '../../errors.ts'
import { newId } from '../../ids.ts'
import { checkInput } from '../../tools/check-input.ts'
import type { ConnectorTried } from '../schema.ts'
import { connectors } from '../store.ts'
import { openHttpTool } from './open-tool.ts'
import { isHttpRow } from './row.ts'

/**
 * Calls an action once for the admin who asks, so that a connector can be tried before an agent has
 * it. Nothing is recorded but that it was tried, and how it ended.
 */
export async function tryAction(
  ctx: Context,
  id: string,
  { action, input = {} }: { action: string; input?: Record<string, unknown> | undefined },
): Promise<ConnectorTried> {
  const row = await connectors.find(ctx.database, ctx.accountId, { id })
  if (row === undefined) throw cannot(ctx, 'not_found', `no connector ${id} is connected`)
  if (!isHttpRow(row)) {
    throw cannot(ctx, 'invalid_value', `${id} is no HTTP API`, { param: 'id' })
  }
  const name = action.startsWith(`${id}.`) ? action.slice(id.length + 1) : action
  const param = 'action'
  const found = row.tools.find(
    (tool) => tool.name === name || (tool.unpicked !== true && tool.operation?.name === name),
  )
  if (found === undefined || found.unpicked === true) {
    const why = `action is ${name.slice(0, 100)}, not an action of ${id}`
    throw cannot(ctx, 'unknown_capability', why, { param })
  }
  const tool = openHttpTool(ctx, ctx.accountId, row, found)
  if (tool.unavailable !== undefined) {
    throw cannot(ctx, 'invalid_value', tool.unavailable, { param })
  }
  const why = checkInput(tool, input)
  if (why !== undefined) throw cannot(ctx, 'invalid_value', `input: ${why}`, { param: 'input' })
  const timeLimit = AbortSignal.timeout(ctx.toolSettings.timeoutMs)
  const { status, output, file } = await tool.call(input, {
    idempotencyKey: newId('call'),
    signal: timeLimit,
  })
  const objectId = `${id}.${found.name}`
  await recordAudit(ctx.database, ctx, { objectId, after: { status } })
  const note =
    file === undefined ? '' : `\n\n[A run would keep ${file.content.length} bytes as ${file.name}.]`
  return { status, output: boundedOutput(output) + note }
}
