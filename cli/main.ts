#!/usr/bin/env node
import { serve } from '../server/main.ts'
await serve((process.argv[3] ?? 'all') as 'all')
