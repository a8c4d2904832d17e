import type { Services } from '../context.ts'
import { forgetContent, takeDue } from './store.ts'

/** A store that is down is asked again after so long. */
const againSeconds = 600
const limit = 10

/** Removes contents that belong to no file; true when there may be more. */
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
