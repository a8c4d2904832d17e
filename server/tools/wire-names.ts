import { createHash } from 'node:crypto'

/**
 * Tool names for providers, which accept letters, digits, `_` and `-`, at most 64. `email.send`
 * becomes `email__send`; a name that is too long or ambiguous gets a hash.
 */
export function wireNames(toolIds: string[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const id of toolIds) {
    const plain = plainName(id)
    const name = plain.length > maxLength || names.has(plain) ? withHash(plain, id) : plain
    names.set(name, id)
  }
  return names
}

/** An invented tool name in a form that providers accept. */
export function madeUpName(name: string): string {
  return plainName(name).slice(0, maxLength) || '_'
}

function plainName(id: string): string {
  return id.replaceAll('.', '__').replaceAll(/[^A-Za-z0-9_-]/g, '_')
}

const maxLength = 64
const hashLength = 8

function withHash(plain: string, id: string): string {
  const hash = createHash('sha256').update(id).digest('hex').slice(0, hashLength)
  return `${plain.slice(0, maxLength - hashLength - 1)}_${hash}`
}
