import { readFileSync } from 'node:fs'

/** Version of this build, from package.json, which is elsewhere once the sources are compiled. */
export const version: string = (
  JSON.parse(readFileSync(new URL(import.meta.resolve('#package.json')), 'utf8')) as {
    version: string
  }
).version
