import { readFileSync } from 'node:fs'

/** Version of this build, from package.json, whose path differs in the compiled package. */
export const version: string = (
  JSON.parse(readFileSync(new URL(import.meta.resolve('#package.json')), 'utf8')) as {
    version: string
  }
).version
