/** What loops in the background do about usage, and by which spans it is deleted. */
export { foldUsage } from './fold-store.ts'
export { spanUsage, startOfSpan } from './span-store.ts'
