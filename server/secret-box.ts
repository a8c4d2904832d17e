import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { DomainError } from './errors.ts'

/**
 * Encrypts stored secrets with AES-256-GCM. An encrypted value is a version (1 byte), the id of its
 * key (4), a nonce (12), a tag (16) and the text. It can only be decrypted in the place that it was
 * encrypted for.
 */
export class SecretBox {
  readonly #keys: Map<string, Buffer>
  readonly #sealing: string | undefined

  /** The first key encrypts; all decrypt. */
  constructor(keys: readonly Buffer[]) {
    this.#keys = new Map(keys.map((key) => [keyIdOf(key), key]))
    this.#sealing = keys[0] && keyIdOf(keys[0])
  }

  /** Id of the encryption key; undefined if there is none. */
  get keyId(): string | undefined {
    return this.#sealing
  }

  seal(plain: Buffer, place: SealedPlace): Buffer {
    const id = this.#sealing
    const key = id === undefined ? undefined : this.#keys.get(id)
    if (id === undefined || key === undefined) {
      throw new DomainError(
        'secret_key_missing',
        'Cannot store a secret: MUSTER_SECRET_KEY is not set, create one with openssl rand -base64 32',
      )
    }
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(toBytes(place))
    const text = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([version, Buffer.from(id, 'hex'), nonce, cipher.getAuthTag(), text])
  }

  open(sealed: Buffer, place: SealedPlace): Buffer {
    if (sealed.length < headBytes || !sealed.subarray(0, 1).equals(version)) {
      throw unreadable(place, 'it is no sealed value of this version')
    }
    const id = sealed.subarray(1, 5).toString('hex')
    const key = this.#keys.get(id)
    if (key === undefined) {
      const why = `it was sealed with the key ${id}, which is neither MUSTER_SECRET_KEY nor among MUSTER_SECRET_KEYS`
      throw unreadable(place, why)
    }
    try {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(5, 17))
        .setAAD(toBytes(place))
        .setAuthTag(sealed.subarray(17, headBytes))
      return Buffer.concat([decipher.update(sealed.subarray(headBytes)), decipher.final()])
    } catch (error) {
      throw unreadable(place, 'it was changed, or was sealed for another place', error)
    }
  }
}

/** Kind of the secret, account, and position within the account. */
export type SealedPlace = readonly [kind: string, ...where: string[]]

const version = Buffer.from([1])
const headBytes = 33

/** Id of a key, which can be shown. */
function keyIdOf(key: Buffer): string {
  return createHash('sha256').update('muster key id').update(key).digest('hex').slice(0, 8)
}

function toBytes(place: SealedPlace): Buffer {
  return Buffer.from(JSON.stringify(place))
}

function unreadable(place: SealedPlace, why: string, cause?: unknown): DomainError {
  const message = `Cannot open the secret of ${place.join(' ')}: ${why}`
  return new DomainError('secret_unreadable', message, { cause })
}
