import type { Services } from '../context.ts'
import { forgetContent, takeDue } from './store.ts'

/** Time before a store that is down is tried again. */
const againSeconds = 600
const limit = 10

/** Deletes contents that belong to no file; true if there may be more. */
export async function dropContents(
  { database, contents }: Pick<Services, 'database' | 'contents'>,
  onError: (error: unknown) => void,
): Promise<boolean> {
  const due = await takeDue(database, { limit, againSeconds })
  for (const { store, ...key } of due) {
    try {
      await contents.named(store).delete(key)
      await forgetContent(database, key)
    } catch (error) {
      onError(error)
    }
  }
  return due.length === limit
}
