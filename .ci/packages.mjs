// Packs both packages and checks them as others would install them: their entries, and the types of the SDK's.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folder = mkdtempSync(join(tmpdir(), 'muster-packages-'))
const run = (program, ...args) => {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status === 0) return
  console.error(`${program} ${args.join(' ')}\n${stdout}${stderr}`)
  process.exitCode = 1
}
try {
  for (const [manifest, ...workspace] of [['package.json'], ['sdk/package.json', '-w', 'sdk']]) {
    const { name, version } = JSON.parse(readFileSync(manifest, 'utf8'))
    run('npm', 'pack', ...workspace, '--pack-destination', folder)
    const tarball = join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
    run('npx', 'publint', '--strict', tarball)
    run('npx', 'attw', '--no-emoji', tarball)
    console.log(`${name} ${version}: packed and checked`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
