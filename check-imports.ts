import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, posix } from 'node:path'

/**
 * Which room may import what, types included; part of `npm run check`. Imports go one way: a room may import itself,
 * with its folders, and the rooms in the lines above its own. So there are no circles. A room is a folder of these
 * lists; the longest name that fits a file is its room. Files for tests (`*.test.ts`, `test-*.ts`) may import anything.
 */
const server = [
  ['server'],
  ['server/sandbox'],
  [
    'server/db',
    'server/embedded',
    'server/files/documents',
    'server/json-schema',
    'server/outbound',
    'server/templates',
  ],
  [
    'server/audit',
    'server/contents',
    'server/expressions',
    'server/models',
    'server/people/oidc',
    'server/tools',
    'server/work',
  ],
  ['server/account-models', 'server/connectors/mcp', 'server/connectors/web', 'server/engine/run'],
  ['server/engine/queue', 'server/fine-tunes/providers'],
  ['server/engine/journal'],
  ['server/engine/wire'],
  ['server/engine/reads'],
  ['server/engine/feed', 'server/engine/safety'],
  ['server/context.ts'],
  ['server/telemetry'],
  ['server/http'],
  // Resources; what several of them need comes first.
  ['server/accounts', 'server/retention', 'server/usage'],
  ['server/files', 'server/model-providers', 'server/operator', 'server/policies', 'server/views'],
  ['server/connectors', 'server/files/for-agents', 'server/oauth-server', 'server/versions'],
  ['server/agents', 'server/people'],
  ['server/workflows'],
  ['server/memory', 'server/sends/webhooks'],
  ['server/budgets'],
  ['server/engine/port.ts'],
  ['server/engine/worker', 'server/policies/operations', 'server/runs'],
  // What starts runs by itself.
  [
    'server/sources/batches',
    'server/sources/bulk',
    'server/sends/channels',
    'server/fine-tunes/training',
    'server/sources/hooks',
    'server/sources/mailboxes',
    'server/sources/schedules',
    'server/sources/threads',
    'server/tool-calls',
  ],
  ['server/sends/alerts', 'server/cases', 'server/mcp-server'],
  ['server/fine-tunes'],
  ['server/start'],
]
const console_ = [
  ['console/ui'],
  // Styles, and the runtime of JSX.
  ['console'],
  ['console/session'],
  ['console/data'],
  ['console/parts'],
  ['console/screens'],
  ['console/app'],
]
const lists = [server, console_, [['cli']]]

/** Rooms that may import less than the list says. */
const fewer: Record<string, string[]> = {
  // What a run may become. It calls no database and no network; `clock.ts` and `fields.ts` hold SQL text for others.
  'server/engine/run': ['server', 'server/models', 'server/tools'],
  // What it asks of other rooms is in `port.ts`.
  'server/engine/worker': [
    'server',
    'server/sandbox',
    'server/db',
    'server/json-schema',
    'server/models',
    'server/tools',
    'server/telemetry',
    'server/policies',
    ...['run', 'queue', 'journal', 'feed', 'safety', 'port.ts'].map(
      (name) => `server/engine/${name}`,
    ),
  ],
  sdk: [],
}

/** Imports from one list into another, and of single files. */
const across: Record<string, string[]> = {
  cli: ['sdk', 'cli/operate', 'server/exact-json.ts', 'server/make-folder.ts', 'server/version.ts'],
  // The commands for operators work on the database, and start the service.
  'cli/operate': ['cli', 'sdk', ...server.flat()],
  console: [
    'sdk',
    'server/exact-json.ts',
    'server/policies/read-terms.ts',
    'server/policies/terms.ts',
    'server/workflows/placeholders.ts',
  ],
  'sdk/generate.ts': ['sdk', 'sdk/generate-commands.ts', 'server/start'],
  'sdk/generate-commands.ts': ['sdk', 'server', 'server/start', 'server/http'],
}

const resources = server
  .slice(
    server.findIndex((rooms) => rooms.includes('server/accounts')),
    -1,
  )
  .flat()

/** Only resources, the HTTP server and the wiring know Fastify. */
const mayUseFastify = server
  .slice(server.findIndex((rooms) => rooms.includes('server/http')))
  .flat()

const rooms = [...lists.flat(2), ...Object.keys(fewer), ...Object.keys(across)]

/** Most files of a folder of the server or the console, and lines of them, tests apart. */
const maxFiles = 25
const maxLines = 3_000

/** What is wrong with an import, in words; undefined when it may be. */
function findWrong(file: string, imported: string): string | undefined {
  const [from, to] = [roomOf(file), roomOf(imported)]
  if (imported === 'fastify') {
    return mayUseFastify.includes(from)
      ? undefined
      : 'only server/http and rooms listed after it use Fastify'
  }
  if (from === to) return findOtherScreen(file, imported)
  if (!mayImport(from).some((one) => one === to || one === imported)) {
    return `${from} may import ${mayImport(from).join(', ') || 'itself alone'}`
  }
  const isOthers = resources.includes(to) && !from.startsWith(`${to}/`)
  const isStore = isOthers && basename(imported).endsWith('store.ts')
  return isStore ? `the store of ${to} is its own, ask one of its verbs` : undefined
}

function mayImport(room: string): string[] {
  const list = lists.find((one) => one.flat().includes(room)) ?? []
  const below = list
    .slice(
      0,
      list.findIndex((names) => names.includes(room)),
    )
    .flat()
  const across_ = across[room] ?? across[room.split('/', 1)[0] ?? ''] ?? []
  return fewer[room] ?? [...below, ...across_]
}

function findOtherScreen(file: string, imported: string): string | undefined {
  const [a, b] = [file, imported].map((path) => /^console\/screens\/([^/]+)/.exec(path)?.[1])
  return a === b ? undefined : 'a screen knows no other screen: what both show is in console/parts'
}

function roomOf(path: string): string {
  const names = rooms.filter((name) => path === name || path.startsWith(`${name}/`))
  return names.sort((a, b) => b.length - a.length)[0] ?? path
}

/** Only these rooms name the tables of runs in SQL; the queue has the jobs. */
const runTables = 'runs|steps|events|step_turns|tool_calls|run_marks|run_files|definitions'
const mayNameRuns = /^server\/(engine\/(journal|reads)|db)\//
const mayNameJobs = /^server\/(engine\/(journal|reads|queue)|db)\//

/** A table of runs that a file names in SQL and may not. */
function findTable(file: string, text: string): string | undefined {
  if (!file.startsWith('server/') || mayNameRuns.test(file)) return undefined
  const tables = mayNameJobs.test(file) ? runTables : `${runTables}|jobs`
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|^\s*--.*|'[^'\n]*'/gm, '')
  const named = new RegExp(`\\b(?:from|join|update|into|using) (?:muster\\.)?(${tables})\\b`)
  return named.exec(code)?.[1]
}

/** Bounds that a process shares are created by server/start/limits.ts and given as arguments, not created at import. */
const createdAtImport =
  /^(?:export )?(?:const|let) (\w+).* = new (?:Slots|RateLimiter|ByteBudget|Tally|HeldRequests|Sandbox)\b/m

const isForTests = (file: string): boolean => /\.test\.ts$|^test-/.test(basename(file))
const files = globSync('{server,cli,sdk,console}/**/*.{ts,tsx}', {
  exclude: ['**/node_modules/**', '**/dist/**', 'console/{build,test}/**', 'console/*.config.ts'],
}).filter((file) => !isForTests(file))

const faults: string[] = []
const sizes = new Map<string, { files: number; lines: number }>()
for (const file of files) {
  const text = readFileSync(file, 'utf8')
  const table = findTable(file, text)
  if (table !== undefined) {
    faults.push(`${file} names the table ${table}: server/engine/journal and reads alone do`)
  }
  const bound = createdAtImport.exec(text)?.[1]
  if (bound !== undefined) {
    faults.push(`${file} creates ${bound} at import: give it a row of server/start/limits.ts`)
  }
  for (const [, name = ''] of text.matchAll(/(?:\bfrom|\bimport\(|^import)\s*'([^']+)'/gm)) {
    const imported = name.startsWith('.') ? posix.join(posix.dirname(file), name) : name
    const isPackage = imported === name && name !== 'fastify'
    const wrong = isPackage ? undefined : findWrong(file, imported)
    if (wrong !== undefined) faults.push(`${file} imports ${name}: ${wrong}`)
  }
  if (/generated/.test(file)) continue
  const size = sizes.getOrInsertComputed(dirname(file), () => ({ files: 0, lines: 0 }))
  size.files += 1
  size.lines += text.split('\n').length - 1
}
for (const [folder, { files: count, lines }] of sizes) {
  // Small files that all rooms use, and single commands.
  if (['server', 'cli'].includes(folder)) continue
  if (count <= maxFiles && lines <= maxLines) continue
  faults.push(
    `${folder} has ${count} files and ${lines} lines, at most ${maxFiles} and ${maxLines}`,
  )
}
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exitCode = 1
