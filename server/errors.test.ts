import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { it } from 'node:test'
import { DomainError, errorCodes, errorTypes, type ErrorCode } from './errors.ts'
import { statusOf } from './http/errors.ts'
import { runErrorCodes } from './engine/run/run.ts'

const page = readFileSync(join(import.meta.dirname, '..', 'docs', 'errors.md'), 'utf8')

it('docs/errors.md lists every code with its status, type and meaning, and no other', () => {
  const documented = [...page.matchAll(/^\| `(\w+)` +\| (\d+) +\| `(\w+)` +\| (.*?) +\|$/gm)].map(
    ([, code, status, type, meaning]) => ({ code, status: Number(status), type, meaning }),
  )
  const known = Object.entries(errorCodes).map(([code, [type, meaning]]) => ({
    code,
    status: statusOf(new DomainError(code as ErrorCode, '')),
    type,
    meaning,
  }))
  assert.deepEqual(documented, known)
})

it('docs/errors.md lists why a run fails', () => {
  for (const code of runErrorCodes) assert.match(page, new RegExp(`^\\| \`${code}\``, 'm'))
})

it('every type is used', () => {
  const used = new Set(Object.values(errorCodes).map(([type]) => type))
  assert.deepEqual(
    errorTypes.filter((type) => !used.has(type)),
    [],
  )
})
