import { endWithParent } from './end-with-parent.ts'
import { runCli } from './program.ts'

endWithParent()
await runCli(process.argv.slice(2))
