import type { Services } from '../context.ts'
import { done, type Outcome } from '../work/outcome.ts'
import type { WorkItem } from '../work/table.ts'
import type { Work } from '../work/worker.ts'
import { abandonContent, forgetContent, unusedContents } from './store.ts'

/** The removal of contents that belong to no file, as work. It may be repeated after a crash. */
type RemovalServices = Pick<Services, 'database' | 'contents'>

export function removalWork(services: RemovalServices, everyMs: number): Work<WorkItem> {
  return {
    what: 'the removal of file contents',
    table: unusedContents,
    atOnce: 10,
    perAccount: 5,
    everyMs,
    run: (item) => removeContent(services, item),
    settle: async () => {},
  }
}

/** Abandons the contents before it deletes their bytes, so that an upload that ends meanwhile cannot use them. */
async function removeContent(
  { database, contents }: RemovalServices,
  { accountId, id: contentId }: WorkItem,
): Promise<Outcome> {
  const key = { accountId, contentId }
  const store = await abandonContent(database, key)
  if (store !== undefined) {
    await contents.named(store).delete(key)
    await forgetContent(database, key)
  }
  return done(undefined)
}
