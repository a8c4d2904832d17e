import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { DomainError } from './errors.ts'

/** AES-256-GCM under `MUSTER_SECRET_KEY`: 12 bytes of nonce, 16 of tag, then the text. */
export class SecretBox {
  readonly #key: Buffer | undefined

  constructor(key: Buffer | undefined) {
    this.#key = key
  }

  get canSeal(): boolean {
    return this.#key !== undefined
  }

  /** `purpose` is bound to the text: what was sealed for one opens for no other. */
  seal(plain: Buffer, purpose: string): Buffer {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#keyOrThrow(), nonce).setAAD(
      Buffer.from(purpose),
    )
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed])
  }

  open(sealed: Buffer, purpose: string): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.#keyOrThrow(), sealed.subarray(0, 12))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(sealed.subarray(12, 28))
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()])
  }

  #keyOrThrow(): Buffer {
    if (this.#key !== undefined) return this.#key
    throw new DomainError(
      'secret_key_missing',
      'Cannot store a secret: MUSTER_SECRET_KEY is not set, make one with openssl rand -base64 32',
    )
  }
}
