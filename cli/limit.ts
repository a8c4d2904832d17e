import { InvalidArgumentError } from 'commander'
import type { Page } from '../sdk/index.ts'

/** What `--limit` takes. */
export function toLimit(text: string): number {
  const limit = Number(text)
  if (/^\d+$/.test(text) && limit >= 1 && limit <= 1000) return limit
  throw new InvalidArgumentError('Accepted is a whole number from 1 to 1000.')
}

/** So many of a page to ask for that `limit` items need few pages. */
export function pageSize(limit: number): number {
  return Math.min(limit, 100)
}

/** The first items of a page and those that follow it. */
export async function take<T>(page: Page<T>, limit: number): Promise<T[]> {
  const taken: T[] = []
  for await (const item of page) if (taken.push(item) === limit) break
  return taken
}
