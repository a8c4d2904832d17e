import { createHash } from 'node:crypto'

/**
 * Names of tools as providers take them: letters, digits, `_` and `-`, 64 at most. `email.send`
 * becomes `email__send`; what is too long or would be ambiguous gets a hash of the whole name.
 */
export function wireNames(toolIds: string[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const id of toolIds) {
    const plain = id.replaceAll('.', '__').replaceAll(/[^A-Za-z0-9_-]/g, '_')
    const name = plain.length > maxLength || names.has(plain) ? withHash(plain, id) : plain
    names.set(name, id)
  }
  return names
}

const maxLength = 64
const hashLength = 8

function withHash(plain: string, id: string): string {
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashLength)
  return `${plain.slice(0, maxLength - hashLength - 1)}_${hash}`
}
