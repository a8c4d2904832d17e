import { changedBy, createdBy } from '../../accounts/authors.ts'
import { OwnedResource } from '../../accounts/owned-resource.ts'
import { isRepeated, recordAudit } from '../../audit/record.ts'
import type { Context } from '../../context.ts'
import type { Database } from '../../db/client.ts'
import { cannot } from '../../errors.ts'
import type { Page, PageRequest } from '../../http/pagination.ts'
import { allows } from '../../identity.ts'
import { checkWorkflow } from '../../workflows/workflows.ts'
import { refuseRouting, type Routing } from './render.ts'
import type { CreateHook, Hook, HookWithSecret, RotateHookSecret, UpdateHook } from './schema.ts'
import { refuseSecret, type SchemeName } from './schemes.ts'
import { addressPlace, makeSecret, newAddressKey, secretPlace, tokenOf } from './secret.ts'
import { hooks, readLastDeliveries, replaceSecret, type HookRow } from './store.ts'

/**
 * Inbound hooks: addresses to which other services send events that start runs. This file has the
 * API's operations; `receive.ts` receives events and stores each once, as a delivery, and
 * `definition.ts` starts its run in the background. A delivery is pending until it has started a run,
 * was filtered or failed, and can be sent again. An event is stored only after its signature was
 * verified.
 */
const owned = new OwnedResource(hooks, {
  noun: 'hook',
  plural: 'hooks',
  max: 100,
  tooMany: 'too_many_hooks',
  toAudited,
})

const defaults = {
  version: null,
  signature_header: null,
  event_id_header: null,
  tolerance_seconds: 300,
  dedupe: 'event' as const,
  filter: null,
  input: null,
  data: null,
  files: [] as string[],
  tags: {},
  status: 'active' as const,
} satisfies Partial<CreateHook>

export async function createHook(
  ctx: Context,
  id: string,
  { secret: given, ...input }: CreateHook,
): Promise<HookWithSecret> {
  const { accountId, secrets } = ctx
  const { name } = await checkWorkflow(ctx, input.workflow_id)
  await checkFields(ctx, input)
  if (input.scheme === 'none' && given !== undefined) {
    const why = 'the scheme none has no secret, leave it out'
    throw cannot(ctx, 'invalid_value', why, { param: 'secret' })
  }
  checkSecret(ctx, input.scheme, given)
  // For Stripe and Slack, the sender chooses the secret.
  const isMade = given === undefined && !['none', 'stripe', 'slack'].includes(input.scheme)
  const secret = isMade ? makeSecret(input.scheme) : given
  const row = {
    name: name.slice(0, 120),
    ...defaults,
    ...input,
    id,
    address_key: secrets.seal(newAddressKey(), addressPlace(accountId, id)),
    secret:
      secret === undefined ? null : secrets.seal(Buffer.from(secret), secretPlace(accountId, id)),
  }
  const made = { ...row, ...createdBy(ctx.actor) }
  const after = await owned.create(ctx, made, { renewed: ['address_key', 'secret'] })
  return { ...(await show(ctx, after)), secret: isMade ? (secret ?? null) : null }
}

export async function listHooks(
  ctx: Context,
  page: PageRequest,
  where: { workflow_id?: string; status?: Hook['status'] },
): Promise<Page<Hook>> {
  const { items, next } = await owned.list(ctx, page, where)
  return { items: await showAll(ctx, items, ctx.reads), next }
}

export async function retrieveHook(ctx: Context, id: string): Promise<Hook> {
  return show(ctx, await readHook(ctx, id))
}

export function readHook(ctx: Context, id: string): Promise<HookRow> {
  return owned.find(ctx, id)
}

/** Changes the given fields, which also apply to pending deliveries. */
export async function updateHook(ctx: Context, id: string, input: UpdateHook): Promise<Hook> {
  await checkFields(ctx, input)
  const { workflow_id: workflowId } = await readHook(ctx, id)
  // A hook can be sent back as it was read, even if its workflow no longer exists.
  if (input.workflow_id !== undefined && input.workflow_id !== workflowId) {
    await checkWorkflow(ctx, input.workflow_id)
  }
  const change = (before: HookRow) => ({ ...input, ...changedBy(before, ctx.actor) })
  return show(ctx, await owned.update(ctx, id, change))
}

/** Sets a new secret; signatures with the old one are accepted for 24 hours. */
export async function rotateSecret(
  ctx: Context,
  id: string,
  { secret: given }: RotateHookSecret,
): Promise<HookWithSecret> {
  const { scheme } = await readHook(ctx, id)
  if (scheme === 'none') {
    throw cannot(ctx, 'invalid_value', 'the scheme none has no secret', { param: 'secret' })
  }
  checkSecret(ctx, scheme, given)
  const secret = given ?? makeSecret(scheme)
  const sealed = ctx.secrets.seal(Buffer.from(secret), secretPlace(ctx.accountId, id))
  const after = await ctx.database.transaction().execute(async (transaction) => {
    const before = await owned.lock(transaction, ctx, id)
    const keepsPrevious = await isRepeated(transaction, ctx)
    const change = { keepsPrevious, ...changedBy(before, ctx.actor) }
    const row = await replaceSecret(transaction, ctx.accountId, id, sealed, change)
    await recordAudit(transaction, ctx, { objectId: id })
    return row
  })
  return { ...(await show(ctx, after)), secret: given === undefined ? secret : null }
}

/** Deletes a hook with its deliveries; its runs stay. */
export function deleteHook(ctx: Context, id: string): Promise<void> {
  return owned.delete(ctx, id)
}

function checkSecret(ctx: Context, scheme: SchemeName, secret: string | undefined): void {
  const why = secret === undefined ? undefined : refuseSecret(scheme, secret)
  if (why !== undefined) throw cannot(ctx, 'invalid_value', why, { param: 'secret' })
}

/** Throws for filters and templates that do not parse. */
async function checkFields(ctx: Context, fields: Partial<Routing>): Promise<void> {
  const problem = await refuseRouting(ctx, fields)
  if (problem === undefined) return
  const { field: param, why } = problem
  if (param === 'filter') {
    throw cannot(ctx, 'invalid_expression', `filter is no CEL condition: ${why}`, { param })
  }
  throw cannot(ctx, 'invalid_template', `${param} is no Liquid template: ${why}`, { param })
}

async function show(ctx: Context, row: HookRow): Promise<Hook> {
  return (await showAll(ctx, [row], ctx.database))[0] as Hook
}

async function showAll(ctx: Context, rows: HookRow[], database: Database): Promise<Hook[]> {
  const { accountId, secrets, publicUrl, role } = ctx
  const ids = rows.map(({ id }) => id)
  const last = await readLastDeliveries(database, accountId, ids)
  return rows.map((row) => {
    const { address_key: sealed, secret, previous_secret: _, authors: __, ...fields } = row
    const { id } = fields
    const key = secrets.open(sealed, addressPlace(accountId, id))
    const token = tokenOf(accountId, id, key)
    return {
      ...fields,
      previous_secret_expires_at: isOver(fields.previous_secret_expires_at)
        ? null
        : fields.previous_secret_expires_at,
      url: allows(role, 'member') ? `${publicUrl}/hooks/${token}` : null,
      has_secret: secret !== null,
      last_delivery: last.get(id) ?? null,
    }
  })
}

export function isOver(expiresAt: Date | null): boolean {
  return expiresAt !== null && expiresAt.getTime() <= Date.now()
}

function toAudited(row: HookRow): object {
  const { address_key: _, secret: __, previous_secret: ___, authors: ____, ...fields } = row
  return fields
}
