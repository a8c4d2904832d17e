import type { ProcessRole } from '../../server/app.ts'
import { serve } from '../../server/main.ts'

await serve((process.argv[2] ?? 'all') as ProcessRole)
