/** What retention deletes of people. */
export { pruneEnded as pruneEndedSignIns } from './prune-store.ts'
