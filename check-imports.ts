import { globSync, readFileSync } from 'node:fs'
import { dirname, posix } from 'node:path'

/**
 * Imports go one way: each room on the left may import itself and the rooms on its right, and nothing
 * else. The longest name that fits a file is its room. Files for tests (`*.test.ts`, `test-*.ts`)
 * may import anything. `npm run check` runs this; lint refuses cycles.
 */
const machinery = ['server', 'server/db', 'server/models', 'server/outbound', 'server/tools']
const nouns = [
  'server/accounts',
  'server/agents',
  'server/connectors',
  'server/fine-tunes',
  'server/memory',
  'server/runs',
  'server/webhooks',
  'server/workflows',
]
const core = [...machinery, 'server/context.ts', 'server/engine/queue', 'server/engine/state']

const rules: Record<string, string[]> = {
  sdk: [],
  cli: ['sdk', 'cli/operate'],
  'cli/operate': ['cli', 'sdk', 'server', 'server/accounts', 'server/db', 'server/embedded', 'server/models', 'server/start'],

  // Machinery knows no noun.
  server: [],
  'server/db': ['server'],
  'server/embedded': ['server'],
  'server/outbound': ['server'],
  'server/models': ['server'],
  'server/tools': ['server', 'server/outbound'],
  'server/engine/queue': ['server', 'server/db'],

  // What an operation works with: types alone.
  'server/context.ts': [...core, ...nouns, 'server/http'],
  'server/telemetry': [...core, 'server/runs'],
  'server/http': [...core, 'server/accounts', 'server/telemetry', 'fastify'],
  'server/engine/state': [...core, ...nouns],
  'server/retention': ['server', 'server/db', 'server/http'],
  ...Object.fromEntries(nouns.map((noun) => [noun, [...core, ...nouns, 'server/http', 'fastify']])),

  // Nobody imports the executor but the wiring.
  'server/engine/worker': [...core, ...nouns, 'server/telemetry'],
  'server/start': [...core, ...nouns, 'server/embedded', 'server/http', 'server/retention', 'server/telemetry', 'server/engine/worker', 'fastify'],
}
