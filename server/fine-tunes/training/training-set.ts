import { once } from 'node:events'
import { bytes } from 'node:stream/consumers'
import { createGzip } from 'node:zlib'
import { readLine, type Example } from './example.ts'
import { countExampleTokens } from './tokens.ts'

/** The result of reading all lines of a training set. */
export interface TrainingSet {
  exampleCount: number
  tokenCount: number
  /** Bytes of the JSONL for the provider. */
  bytes: number
  /** The first three. */
  examples: Example[]
  /** The first ten, by line number from 1. */
  problems: { line: number; reason: string }[]
  /** JSONL without blank lines, compressed. */
  gzip: Uint8Array
}

const shownExamples = 3
const shownProblems = 10
const blockCharacters = 256 * 1024

/** Reads lines one by one; holds only the compressed output and the first few examples. */
export class TrainingSetBuilder {
  readonly #gzip = createGzip({ level: 1 })
  readonly #compressed = bytes(this.#gzip)
  readonly #set = { exampleCount: 0, tokenCount: 0, bytes: 0 }
  readonly #examples: Example[] = []
  readonly #problems: TrainingSet['problems'] = []
  #block = ''
  #line = 0

  async add(raw: string): Promise<void> {
    this.#line++
    const line = raw.trim()
    if (line === '') return
    const read = readLine(line)
    if (read.kind === 'problem') {
      if (this.#problems.length < shownProblems) {
        this.#problems.push({ line: this.#line, reason: read.reason })
      }
      return
    }
    this.#set.exampleCount++
    this.#set.tokenCount += countExampleTokens(read.example)
    if (this.#examples.length < shownExamples) this.#examples.push(read.example)
    this.#block += `${read.json}\n`
    if (this.#block.length > blockCharacters) await this.#write()
  }

  async finish(): Promise<TrainingSet> {
    await this.#write()
    this.#gzip.end()
    const gzip = await this.#compressed
    return { ...this.#set, examples: this.#examples, problems: this.#problems, gzip }
  }

  async #write(): Promise<void> {
    const block = Buffer.from(this.#block)
    this.#block = ''
    this.#set.bytes += block.length
    if (!this.#gzip.write(block)) await once(this.#gzip, 'drain')
  }
}
