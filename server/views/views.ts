import { OwnedResource } from '../accounts/owned-resource.ts'
import type { Context } from '../context.ts'
import { cannot } from '../errors.ts'
import type { Page, PageRequest } from '../http/pagination.ts'
import type { CreateView, UpdateView, View } from './schema.ts'
import { isNameTaken, views } from './store.ts'

/**
 * Saved views: filters of the list of runs under a name, shared by the people of an account. A view
 * is only stored here; who reads it asks for the runs with its filters.
 */
const owned = new OwnedResource(views, {
  noun: 'view',
  plural: 'views',
  max: 100,
  tooMany: 'too_many_views',
})

export function createView(ctx: Context, id: string, input: CreateView): Promise<View> {
  const { type, id: by, name } = ctx.actor
  return withUniqueName(ctx, input, () =>
    owned.create(ctx, { id, ...input, created_by: { type, id: by, name } }),
  )
}

export function listViews(ctx: Context, page: PageRequest): Promise<Page<View>> {
  return owned.list(ctx, page)
}

export function retrieveView(ctx: Context, id: string): Promise<View> {
  return owned.find(ctx, id)
}

export function updateView(ctx: Context, id: string, input: UpdateView): Promise<View> {
  return withUniqueName(ctx, input, () => owned.update(ctx, id, () => input))
}

export function deleteView(ctx: Context, id: string): Promise<void> {
  return owned.delete(ctx, id)
}

async function withUniqueName(
  ctx: Context,
  { name }: UpdateView,
  write: () => Promise<View>,
): Promise<View> {
  try {
    return await write()
  } catch (error) {
    if (!isNameTaken(error)) throw error
    const why = `the account has a view named ${JSON.stringify(name)}`
    throw cannot(ctx, 'name_taken', why, { param: 'name' })
  }
}
