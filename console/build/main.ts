import { existsSync } from 'node:fs'
import { cp, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { checkSizes } from './sizes.ts'

/**
 * Builds the console: bundles it, compresses every file in advance, and fails if the scripts exceed
 * their size limits. `npm ci` runs it as `prepare`; an installation without development packages
 * has no bundler and gets the console from the package or the image.
 */
const console_ = join(import.meta.dirname, '..')
const dist = join(console_, 'dist')

if (existsSync(join(console_, '../node_modules/vite'))) {
  const { build } = await import('vite')
  await build({ configFile: join(console_, 'vite.config.ts'), logLevel: 'warn' })
  await copyDocs()
  await compressAll()
  console.log(await checkSizes(dist))
} else {
  console.log('The console is not built: the development packages are not installed.')
}

/** The docs of this version, which the console shows. Decision records are for developers. */
async function copyDocs(): Promise<void> {
  const docs = join(console_, '../docs')
  const isShown = (path: string): boolean =>
    path === docs || path.endsWith('.md') || path === join(docs, 'tasks')
  await cp(docs, join(dist, 'help'), { recursive: true, filter: isShown })
}

async function compressAll(): Promise<void> {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isFile() || !/\.(html|js|css|svg|md)$/.test(entry.name)) continue
    const name = join(entry.parentPath, entry.name)
    const body = await readFile(name)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    await writeFile(`${name}.br`, await promisify(brotliCompress)(body, { params }))
    await writeFile(`${name}.gz`, await promisify(gzip)(body, { level: 9 }))
  }
}
