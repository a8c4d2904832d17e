import { globSync, readFileSync } from 'node:fs'
import { basename, posix } from 'node:path'

/**
 * Who may import what, which rooms may name the tables of runs, and how large a room may be. Imports go one way.
 * Each room of this list may import itself, the packages and what stands on its right: rooms, or single files of rooms. The longest name that fits a file is its room. Two rules more:
 * a noun is asked through its verbs, never through its store; and `fastify` is a room. Files for tests
 * (`*.test.ts`, `test-*.ts`) may import anything. Part of `npm run check`; lint refuses cycles.
 */
const nouns = [
  'accounts',
  'agents',
  'connectors',
  'files',
  'fine-tunes',
  'memory',
  'model-providers',
  'operator',
  'people',
  'policies',
  'runs',
  'usage',
  'webhooks',
]
  .concat('workflows')
  .map((name) => `server/${name}`)
const machinery = [
  'server',
  'server/account-models',
  'server/audit',
  'server/connectors/mcp',
  'server/connectors/web',
  'server/contents',
  'server/db',
  'server/fine-tunes/providers',
  'server/models',
  'server/models/providers',
  'server/outbound',
  'server/people/oidc',
  'server/tools',
]
const engine = ['run', 'queue', 'journal', 'wire', 'reads', 'feed', 'safety'].map(
  (name) => `server/engine/${name}`,
)
const base = [...machinery, ...engine, 'server/context.ts']

const rooms: Record<string, string[]> = {
  sdk: [],
  // The console's layers; a screen knows no other screen.
  'console/ui': ['sdk'],
  'console/session': ['sdk', 'console/ui'],
  'console/data': ['sdk', 'console/ui', 'console/session'],
  'console/parts': ['sdk', 'console/ui', 'console/session', 'console/data'],
  'console/screens': ['sdk', 'console/ui', 'console/session', 'console/data', 'console/parts'],
  'console/app': ['sdk', 'console', 'console/ui', 'console/session', 'console/data'].concat(
    'console/parts',
    'console/screens',
  ),
  console: ['sdk', 'console/ui'],
  'sdk/generate.ts': ['sdk', 'sdk/generate-commands.ts', 'server/start'],
  'sdk/generate-commands.ts': ['sdk', 'server/start'],
  cli: ['sdk', 'cli/operate', 'server/make-folder.ts', 'server/version.ts'],
  'cli/operate': [
    'cli',
    'sdk',
    'server',
    'server/start',
    'server/accounts',
    'server/people',
    'server/operator',
    'server/db',
    'server/audit',
    'server/people/oidc',
  ].concat('server/embedded', 'server/models'),

  // Nobody imports the wiring but the command line, and nobody the executor but the wiring.
  'server/start': [...base, ...nouns, 'server/embedded', 'server/http', 'server/retention'].concat(
    'server/telemetry',
    'server/engine/worker',
    'fastify',
  ),
  'server/engine/worker': [...base, ...nouns, 'server/telemetry'],

  ...Object.fromEntries(nouns.map((noun) => [noun, [...base, ...nouns, 'server/http', 'fastify']])),
  'server/context.ts': [...base, ...nouns],

  // The engine, from the bottom up. `run` is pure; `journal` and `reads` alone know the tables of runs.
  'server/engine/wire': ['server', 'server/engine/run', 'server/engine/journal'],
  'server/engine/run': [
    'server',
    'server/models',
    'server/tools',
    'server/workflows/schema.ts',
  ].concat('server/policies/schema.ts', 'server/agents/read-for-runs.ts'),
  'server/engine/queue': ['server', 'server/db', 'server/engine/run'],
  'server/engine/journal': ['server', 'server/db', 'server/models', 'server/engine/run'].concat(
    'server/engine/queue',
    'server/audit',
    'server/words.ts',
    'server/files/schema.ts',
    'server/workflows/schema.ts',
  ),
  'server/engine/reads': ['server', 'server/db', 'server/engine/run', 'server/engine/queue'].concat(
    'server/engine/journal',
    'server/engine/wire',
    'server/webhooks/delivery.ts',
  ),
  'server/engine/feed': [
    'server',
    'server/db',
    'server/engine/run',
    'server/engine/journal',
  ].concat('server/engine/reads'),
  'server/engine/safety': ['server', 'server/db', 'server/tools', 'server/engine/run'].concat(
    'server/engine/journal',
    'server/engine/reads',
    'server/connectors/web',
  ),
  'server/telemetry': [...base, 'server/runs'],
  'server/http': [...base, 'server/telemetry', 'fastify'],
  'server/retention': ['server', 'server/db', 'server/http', 'server/usage'].concat(
    'server/engine/journal/prune.ts',
  ),

  // Machinery knows no noun.
  'server/tools': ['server', 'server/outbound'],
  'server/connectors/mcp': ['server', 'server/outbound', 'server/tools'],
  'server/connectors/web': ['server', 'server/outbound', 'server/tools'],
  'server/models/providers': ['server/models/contract.ts'],
  'server/models': [
    'server',
    'server/models/providers',
    'server/outbound/egress-proxy.ts',
    'server/outbound/outbound-error.ts',
  ],
  'server/account-models': ['server', 'server/db', 'server/models', 'server/outbound'],
  'server/audit': ['server', 'server/db', 'server/http', 'server/accounts/schema.ts'],
  'server/contents': ['server', 'server/db', 'server/outbound'],
  'server/fine-tunes/providers': ['server', 'server/models', 'server/outbound'],
  'server/people/oidc': ['server', 'server/outbound'],
  'server/outbound': ['server'],
  'server/embedded': ['server'],
  'server/db': ['server'],
  server: [],
}

/** What is wrong with an import, in words; undefined when it may be. */
function findWrong(file: string, imported: string): string | undefined {
  const [from, to] = [roomOf(file), roomOf(imported)]
  if (from === to) {
    const [, a] = /^console\/screens\/([^/]+)/.exec(file) ?? []
    const [, b] = /^console\/screens\/([^/]+)/.exec(imported) ?? []
    return a === b
      ? undefined
      : 'a screen knows no other screen: what both show is in console/parts'
  }
  const allowed = rooms[from] ?? []
  if (!allowed.includes(to) && !allowed.includes(imported)) {
    return `${from} may import ${allowed.join(', ') || 'itself alone'}`
  }
  const isStore = nouns.includes(to) && basename(imported).endsWith('store.ts')
  return isStore ? `the store of ${to} is its own, ask one of its verbs` : undefined
}

function roomOf(path: string): string {
  const names = Object.keys(rooms).filter((name) => path === name || path.startsWith(`${name}/`))
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

const isForTests = (file: string): boolean => /\.test\.ts$|^test-/.test(basename(file))
const files = globSync('{server,cli,sdk,console}/**/*.{ts,tsx}', {
  exclude: ['**/node_modules/**', '**/dist/**', 'console/{build,test}/**', 'console/*.config.ts'],
})
let count = 0
for (const file of files.filter((one) => !isForTests(one))) {
  const text = readFileSync(file, 'utf8')
  const table = findTable(file, text)
  if (table !== undefined) {
    count += 1
    console.error(`${file} names the table ${table}: server/engine/journal and reads alone do`)
  }
  for (const [, name = ''] of text.matchAll(/(?:\bfrom|\bimport\(|^import)\s*'([^']+)'/gm)) {
    const imported = name.startsWith('.') ? posix.join(posix.dirname(file), name) : name
    const isPackage = imported === name && name !== 'fastify'
    const wrong = isPackage ? undefined : findWrong(file, imported)
    if (wrong === undefined) continue
    count += 1
    console.error(`${file} imports ${name}: ${wrong}`)
  }
}

/** A room has at most so many files and lines, tests and generated ones aside. */
const maxFiles = 25
const maxLines = 3_000
const byFolder = Map.groupBy(
  files.filter((file) => file.startsWith('server/') && !isForTests(file)),
  (file) => posix.dirname(file),
)
for (const [folder, own] of byFolder) {
  const written = own.filter((file) => !basename(file).startsWith('generated-'))
  const lines = written.reduce(
    (sum, file) => sum + readFileSync(file, 'utf8').split('\n').length,
    0,
  )
  if (written.length <= maxFiles && lines <= maxLines) continue
  count += 1
  console.error(
    `${folder} has ${written.length} files and ${lines} lines: at most ${maxFiles} and ${maxLines}`,
  )
}
if (count > 0) process.exitCode = 1
