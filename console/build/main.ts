import { existsSync } from 'node:fs'
import { readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { checkBrowsers, readBrowsers } from './browsers.ts'
import { copyDocs, writeLlms } from './docs.ts'
import { checkSizes } from './sizes.ts'

/**
 * Builds the console: bundles it, compresses every file in advance, and fails if the scripts exceed
 * their size limits or use what the oldest browsers lack. `npm start`, `npm test` and `npm pack` run it where it is needed; an installation without
 * development packages has no bundler and gets the console from the package or the image.
 */
const console_ = join(import.meta.dirname, '..')
const dist = join(console_, 'dist')

if (existsSync(join(console_, '../node_modules/vite'))) {
  const { build } = await import('vite')
  await build({ configFile: join(console_, 'vite.config.ts'), logLevel: 'warn' })
  await checkBrowsers(dist, await readBrowsers())
  await copyDocs(join(console_, '../docs'), join(dist, 'help'))
  await writeLlms(join(console_, '../docs'), join(dist, 'llms.txt'))
  await compressAll()
  console.log(await checkSizes(dist))
} else {
  console.log('The console is not built: the development packages are not installed.')
}

async function compressAll(): Promise<void> {
  const entries = await readdir(dist, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isFile() || !/\.(html|js|css|svg|md|json|txt)$/.test(entry.name)) continue
    const name = join(entry.parentPath, entry.name)
    const body = await readFile(name)
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    await writeFile(`${name}.br`, await promisify(brotliCompress)(body, { params }))
    await writeFile(`${name}.gz`, await promisify(gzip)(body, { level: 9 }))
  }
}
