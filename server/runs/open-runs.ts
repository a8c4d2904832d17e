/** What others ask about runs that have not ended. */
export { countOpenRuns, hasOpenRuns } from './store.ts'
