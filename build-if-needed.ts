import { spawnSync } from 'node:child_process'
import { existsSync, globSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Builds the console, and the SDK that is imported by its package's name: a clone runs both from
 * their builds. Runs before `npm start`, `npm run demo` and `npm test`, and does nothing if a part is newer
 * than its sources, or if the development packages are not installed.
 */
interface Part {
  built: string
  sources: string[]
  script: string[]
}

const root = import.meta.dirname
const parts: Record<string, Part> = {
  console: {
    built: 'console/dist/index.html',
    sources: [
      'console/**/*',
      'docs/**/*',
      'sdk/*.ts',
      'server/{exact-json,policies/**,workflows/**}.ts',
    ],
    script: ['run', 'console:build'],
  },
  sdk: {
    built: 'sdk/dist/commonjs/package.json',
    sources: ['sdk/*.{ts,json}'],
    script: ['run', 'build', '-w', 'sdk'],
  },
}

for (const name of process.argv.slice(2)) {
  const part = parts[name]
  if (part === undefined)
    throw new Error(`There is no part ${name}, expected ${Object.keys(parts).join(' or ')}`)
  if (!existsSync(join(root, 'node_modules/vite')) || isNewer(part)) continue
  console.error(`Building ${name} …`)
  const { status } = spawnSync('npm', part.script, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) process.exit(status ?? 1)
}

function isNewer({ built, sources }: Part): boolean {
  const file = join(root, built)
  if (!existsSync(file)) return false
  const builtAt = statSync(file).mtimeMs
  const exclude = ['**/node_modules', '**/dist', '**/*.test.{ts,tsx}']
  const files = globSync(sources, { cwd: root, exclude }).map((name) => statSync(join(root, name)))
  return files.every((one) => !one.isFile() || one.mtimeMs <= builtAt)
}
