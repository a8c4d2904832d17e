import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseAst } from 'vite'

/**
 * The oldest browsers that the console runs in, which is said once: by `browserslist` in its `package.json`. The build
 * compiles to them, the page and the docs name them, and no built file may use what one of them lacks.
 */
const names = {
  chrome: 'Chrome',
  edge: 'Edge',
  firefox: 'Firefox',
  safari: 'Safari',
} as const
type Browser = keyof typeof names

export type Browsers = Record<Browser, number>

export async function readBrowsers(): Promise<Browsers> {
  const { browserslist } = JSON.parse(
    await readFile(join(import.meta.dirname, '../package.json'), 'utf8'),
  ) as { browserslist: string[] }
  const versions = Object.fromEntries(browserslist.map((line) => line.split(' >= ')))
  return Object.fromEntries(
    Object.keys(names).map((name) => {
      const version = Number(versions[name])
      if (!(version > 0)) throw new Error(`browserslist has no line "${name} >= <version>"`)
      return [name, version]
    }),
  ) as Browsers
}

/** Such as "Chrome 126, Edge 126, Firefox 127 and Safari 18". */
export function inWords(browsers: Browsers): string {
  const all = Object.entries(names).map(([key, name]) => `${name} ${browsers[key as Browser]}`)
  return `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}

/** Used only where the browser has it. */
const optional = new Set([
  'document.startViewTransition',
  'JSON.rawJSON',
  'navigator.connection',
  'navigator.scheduling',
])

/** Objects whose methods have names that nothing else has. */
const plain = new Set(['Array', 'Set', 'String', 'TypedArray'])

interface Node {
  type: string
  [field: string]: unknown
}

/** Throws for what a built file uses and a browser lacks, as far as names tell. */
export async function checkBrowsers(dist: string, browsers: Browsers): Promise<void> {
  const features = await readFeatures()
  const missing = new Set<string>()
  for (const file of await readdir(join(dist, 'assets'))) {
    if (!file.endsWith('.js')) continue
    const program = parseAst(await readFile(join(dist, 'assets', file), 'utf8'))
    for (const name of namesIn(program as unknown as Node)) {
      if (optional.has(name)) continue
      const since = features.get(name)
      const lacking = since === undefined ? [] : lackingIn(browsers, since)
      if (lacking.length > 0) missing.add(`${name} (${file}; not in ${lacking.join(', ')})`)
    }
  }
  if (missing.size > 0) {
    throw new Error(`The console uses what its oldest browsers lack: ${[...missing].join(', ')}`)
  }
}

function lackingIn(browsers: Browsers, since: Browsers): string[] {
  return Object.entries(names).flatMap(([key, name]) => {
    const version = browsers[key as Browser]
    return since[key as Browser] > version ? [`${name} ${version}`] : []
  })
}

/** `object.member` of two names, and `.member` of anything. */
function* namesIn(node: Node): Generator<string> {
  if (node.type === 'MemberExpression' && node['computed'] === false) {
    const { name: member } = node['property'] as { name: string }
    const { name: object } = node['object'] as { name?: string }
    yield `.${member}`
    if (object !== undefined) yield `${object}.${member}`
  }
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (isNode(child)) yield* namesIn(child)
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value
}

interface Compat {
  __compat?: { support: Record<string, Support | Support[]> }
  [name: string]: Compat | Compat['__compat']
}
interface Support {
  version_added: string | false
  flags?: unknown
}

/** First versions with a feature, by the names that `namesIn` yields. */
async function readFeatures(): Promise<Map<string, Browsers>> {
  const { default: data } = await import('@mdn/browser-compat-data', { with: { type: 'json' } })
  const { api, javascript } = data as unknown as {
    api: Record<string, Compat>
    javascript: { builtins: Record<string, Compat> }
  }
  const features = new Map<string, Browsers>()
  for (const [object, own] of [...Object.entries(api), ...Object.entries(javascript.builtins)]) {
    for (const [key, feature] of Object.entries(own)) {
      const support = key === '__compat' ? undefined : (feature as Compat).__compat?.support
      if (support === undefined) continue
      const member = key.replace(/_static$/, '')
      const since = sinceOf(support)
      features.set(`${instanceOf(object)}.${member}`, since)
      if (!plain.has(object)) continue
      // Members of several objects count as the oldest of them.
      const known = features.get(`.${member}`)
      features.set(`.${member}`, known === undefined ? since : oldest(known, since))
    }
  }
  return features
}

/** The global that holds the one object of an interface, such as `navigator`. */
function instanceOf(name: string): string {
  return /^(Navigator|Document|Window|History|Location|Screen|Crypto|Performance)$/.test(name)
    ? name.toLowerCase()
    : name
}

function sinceOf(support: Record<string, Support | Support[]>): Browsers {
  return Object.fromEntries(
    Object.keys(names).map((browser) => {
      const [newest] = [support[browser]].flat()
      const version =
        newest === undefined || newest.version_added === false || newest.flags !== undefined
          ? Infinity
          : Number.parseFloat(newest.version_added.replace('≤', ''))
      // A preview has no number yet.
      return [browser, Number.isNaN(version) ? Infinity : version]
    }),
  ) as Browsers
}

function oldest(one: Browsers, other: Browsers): Browsers {
  return Object.fromEntries(
    Object.keys(names).map((key) => [key, Math.min(one[key as Browser], other[key as Browser])]),
  ) as Browsers
}
