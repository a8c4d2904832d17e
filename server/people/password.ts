import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/**
 * Passwords as argon2id hashes in the PHC string format, with OWASP's parameters: 19 MiB, two
 * passes. A hash takes some 30 ms of a core, so requests take a slot for each (`check-password.ts`).
 */
const parameters = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const

export const minPasswordLength = 10
export const maxPasswordLength = 200

export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  return format(nonce, await derive(password, nonce, parameters))
}

/**
 * Checks a password against a hash. Without a hash it takes as long and returns false, so that
 * response times do not reveal whether a user exists.
 */
export async function verifyPassword(password: string, hash: string | null): Promise<boolean> {
  const stored = parse(hash ?? decoy)
  const tag = await derive(password, stored.nonce, { ...stored, tagLength: stored.tag.length })
  return timingSafeEqual(tag, stored.tag) && hash !== null
}

function format(nonce: Buffer, tag: Buffer): string {
  const { memory, passes, parallelism } = parameters
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(nonce)}$${encode(tag)}`
}

/** A hash that costs as much to check and matches no password. */
const decoy = format(Buffer.alloc(16), Buffer.alloc(parameters.tagLength))

function parse(hash: string): {
  nonce: Buffer
  tag: Buffer
  memory: number
  passes: number
  parallelism: number
} {
  const match = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(hash)
  if (match === null) throw new Error('A stored password hash is not one of argon2id')
  const [, memory, passes, parallelism, nonce = '', tag = ''] = match
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    nonce: Buffer.from(nonce, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

function encode(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

const argon2id = promisify(argon2)

function derive(
  password: string,
  nonce: Buffer,
  { memory, passes, parallelism, tagLength }: Record<keyof typeof parameters, number>,
): Promise<Buffer> {
  const message = password.normalize('NFC')
  return argon2id('argon2id', { message, nonce, memory, passes, parallelism, tagLength })
}
