import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { it } from 'node:test'
import { countRunsForFiles } from './open-files.ts'

it('leaves files for the database and others, and lets one run be in progress always', () => {
  assert.equal(countRunsForFiles(Number.POSITIVE_INFINITY, 19), Number.POSITIVE_INFINITY)
  assert.equal(countRunsForFiles(100, 20), 30)
  assert.equal(countRunsForFiles(10, 20), 1)
})

it('reads the limit of the process', () => {
  const code = `import { countFreeFiles } from '${new URL('open-files.ts', import.meta.url).href}'
    console.log(countFreeFiles())`
  const args = ['-c', 'ulimit -n 100 && exec "$0" --input-type=module -e "$1"', process.execPath]
  const free = Number(execFileSync('sh', [...args, code], { encoding: 'utf8' }))
  assert.ok(free > 50 && free < 100, String(free))
})
