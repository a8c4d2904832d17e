#!/usr/bin/env -S node --max-semi-space-size=64
import { runCli } from './program.ts'

await runCli(process.argv.slice(2))
