import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Limits of compressed script: for the first screen, and for each part that is loaded later. */
const firstLoadLimit = 250_000
const partLimit = 100_000
const firstScreen = 'screens/home/home-screen.tsx'

interface Chunk {
  file: string
  isEntry?: boolean
  isDynamicEntry?: boolean
  imports?: string[]
}

type Manifest = Record<string, Chunk>

/** One line with the sizes; throws where one is over its limit. */
export async function checkSizes(dist: string): Promise<string> {
  const text = await readFile(join(dist, '.vite/manifest.json'), 'utf8')
  const manifest = JSON.parse(text) as Manifest
  await rm(join(dist, '.vite'), { recursive: true })
  const entry = Object.entries(manifest).find(([, { isEntry }]) => isEntry === true)?.[0]
  if (entry === undefined || manifest[firstScreen] === undefined) {
    throw new Error('The build has no entry or no first screen')
  }
  const first = new Set([...closure(manifest, entry), ...closure(manifest, firstScreen)])
  const firstBytes = await sizeOf(dist, manifest, first)
  const parts = Object.keys(manifest).filter((name) => manifest[name]?.isDynamicEntry === true)
  let largest = { name: 'none', bytes: 0 }
  for (const name of parts) {
    const more = [...closure(manifest, name)].filter((part) => !first.has(part))
    const bytes = await sizeOf(dist, manifest, more)
    if (bytes > largest.bytes) largest = { name, bytes }
  }
  const line = `Console: first load ${kb(firstBytes)}, largest part ${kb(largest.bytes)} (${largest.name})`
  if (firstBytes > firstLoadLimit) throw new Error(`${line}. Expected up to ${kb(firstLoadLimit)}`)
  if (largest.bytes > partLimit) throw new Error(`${line}. Expected up to ${kb(partLimit)} a part`)
  return line
}

/** A chunk with everything that it imports. */
function closure(manifest: Manifest, name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  for (const next of manifest[name]?.imports ?? []) closure(manifest, next, found)
  return found
}

async function sizeOf(dist: string, manifest: Manifest, names: Iterable<string>): Promise<number> {
  let bytes = 0
  for (const name of names) {
    const file = manifest[name]?.file
    if (file?.endsWith('.js') === true) bytes += (await stat(join(dist, `${file}.br`))).size
  }
  return bytes
}

function kb(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} KB`
}
