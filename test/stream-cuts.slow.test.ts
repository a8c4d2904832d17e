import { testCuts } from './stream-cuts.ts'

await testCuts(1)
