/** What the loop in the background does about usage. */
export { foldUsage } from './usage-store.ts'
