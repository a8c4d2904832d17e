import type { Context } from '../context.ts'
import type { Page } from '../http/pagination.ts'
import { allows } from '../roles.ts'
import { recordShown } from './shown-store.ts'

/** Requests that this process remembers to have recorded. */
const maxRemembered = 10_000

/**
 * What those who may answer were shown, recorded before they get it: an answer that names no request is
 * meant for what its sender saw. Written once for a request and a person or key; who looks again and again
 * writes nothing.
 */
export class ShownRequests {
  readonly #remembered = new Set<string>()

  async noteList<T extends { id: string; pending: { id: string } | null }>(
    ctx: Context,
    list: Promise<Page<T>>,
  ): Promise<Page<T>> {
    const page = await list
    await this.note(ctx, page.items)
    return page
  }

  async note(
    { database, accountId, actor, role }: Context,
    runs: { id: string; pending: { id: string } | null }[],
  ): Promise<void> {
    if (!allows(role, 'approver')) return
    const shown = runs.flatMap(({ id: runId, pending }) =>
      pending === null || this.#remembered.has(`${actor.id} ${pending.id}`)
        ? []
        : [{ runId, pendingId: pending.id }],
    )
    if (shown.length === 0) return
    await recordShown(database, accountId, actor.id, shown)
    for (const { pendingId } of shown) this.#remembered.add(`${actor.id} ${pendingId}`)
    for (const oldest of this.#remembered) {
      if (this.#remembered.size <= maxRemembered) break
      this.#remembered.delete(oldest)
    }
  }
}
