import { lockAccount } from '../../accounts/bounds.ts'
import { bySystem, recordAudit } from '../../audit/record.ts'
import type { Services } from '../../context.ts'
import type { Transaction } from '../../db/client.ts'
import { cannot, DomainError, tooMany } from '../../errors.ts'
import { derivedId } from '../../ids.ts'
import type { RunKey } from '../../engine/run/run.ts'
import { insertOutput, readRunFiles } from '../../engine/journal/files.ts'
import type { ToolCall } from '../../engine/run/ledger.ts'
import type { ToolResult } from '../../tools/contract.ts'
import { checkRoom } from '../limits.ts'
import { toFile } from '../files.ts'
import { fileName } from '../name.ts'
import { readContent, type Known } from '../read-content.ts'
import { filesUnavailable, isAway, storeContent, type StoredContent } from '../stored-content.ts'
import { dropContent, files, keepContent } from '../store.ts'
import { runEvent, type RunEvent } from '../../engine/run/step.ts'

/** Limits for files that the agents of one run write. */
const maxWrittenFiles = 20
const maxWrittenBytes = 10 * 1024 * 1024

/** The run and step that write. */
export interface Writer extends RunKey {
  step: { position: number; role: string }
}

type Outcome = Pick<ToolResult, 'output'> & { status: 'succeeded' | 'failed'; events: RunEvent[] }

/** Bytes that are stored for a call, and belong to no file until `keep` is committed. */
export interface WrittenFile {
  /** Creates the file in the ledger's transaction, so that it is created once. */
  keep: (transaction: Transaction) => Promise<Outcome>
  /**
   * Deletes the bytes, unless the file was created. After a crash the background loop finds them by
   * their row.
   */
  drop: () => Promise<void>
}

type FileServices = Pick<
  Services,
  'database' | 'contents' | 'fileBytesPerAccount' | 'limits' | 'log'
>

/**
 * Stores the contents that an agent wrote; `keep` then creates the file. Fails with
 * `files_unavailable` if it may work later.
 */
export function writeFile(
  services: FileServices,
  writer: Writer,
  call: Pick<ToolCall, 'id' | 'input'>,
): Promise<WrittenFile> {
  const { name, content } = call.input ?? {}
  const text = { name: String(name), content: Buffer.from(String(content)), isText: true }
  return storeFile(services, writer, call.id, text)
}

/** Stores the answer of a call; its name may be changed to one that the run does not have. */
export function storeAnswer(
  services: FileServices,
  writer: Writer,
  callId: string,
  { name, content }: { name: string; content: Buffer },
): Promise<WrittenFile> {
  const ending = /\.[a-z0-9]{1,8}$/i.exec(name)?.[0] ?? ''
  const stem = name.slice(0, name.length - ending.length)
  // Several calls of a run may answer with the same name.
  const unique = `${stem}-${callId.slice(-8)}${ending}`
  return storeFile(services, writer, callId, { name: unique, content, isText: false })
}

interface Content {
  name: string
  content: Buffer
  /** Whether other files than texts are refused. */
  isText: boolean
}

async function storeFile(
  services: FileServices,
  writer: Writer,
  callId: string,
  { name: given, content, isText }: Content,
): Promise<WrittenFile> {
  const { accountId, runId, step } = writer
  const name = fileName(given)
  const ctx = { ...services, accountId, action: `write ${name}` }
  const refused = (why: string): Outcome => ({ status: 'failed', output: why, events: [] })
  let stored: StoredContent
  try {
    stored = await storeContent(services, { ...ctx, name }, parts(content))
  } catch (error) {
    if (isAway(error)) throw filesUnavailable(ctx.action, error)
    const isRefused = error instanceof DomainError
    if (!isRefused) services.log.error({ err: error, callId }, 'a file was not stored')
    const why = isRefused ? error.message : `Cannot ${ctx.action}: the store of files is not there`
    return { keep: () => Promise.resolve(refused(why)), drop: () => Promise.resolve() }
  }
  const { key, bytes, sha256, kind } = stored
  const drop = (): Promise<void> => dropContent(services.database, key, 'arriving')
  let known: Known
  try {
    if (isText && kind.kind !== 'text')
      throw cannot(ctx, 'invalid_file', `it begins as ${kind.mediaType} does`)
    known = await readContent(ctx, stored)
  } catch (error) {
    if (isAway(error)) {
      // If this fails too, the background loop deletes the bytes.
      await drop().catch(() => {})
      throw filesUnavailable(ctx.action, error)
    }
    if (!(error instanceof DomainError)) throw error
    const { message } = error
    return { keep: () => Promise.resolve(refused(message)), drop }
  }

  async function keep(transaction: Transaction): Promise<Outcome> {
    await lockAccount(transaction, accountId)
    try {
      await checkBounds(transaction)
      await checkRoom(ctx, transaction, bytes)
    } catch (error) {
      if (error instanceof DomainError) return refused(error.message)
      throw error
    }
    if (!(await keepContent(transaction, key)))
      return refused(`Cannot ${ctx.action}: it took too long`)
    const row = {
      id: derivedId('file', runId, callId),
      content_id: key.contentId,
      name,
      bytes,
      sha256,
    }
    const inserted = await files.insert(transaction, accountId, { ...row, ...known }, null)
    const file = toFile(inserted as NonNullable<typeof inserted>)
    await insertOutput(transaction, writer, step.position, file)
    const writtenBy = bySystem(`${step.role} of ${runId}`.slice(0, 200), 'file.written')
    const audit = { ...writtenBy, id: derivedId('aud', runId, callId) }
    await recordAudit(transaction, { accountId, audit }, { objectId: file.id, after: file })
    const data = { order: step.position, role: step.role, file_id: file.id, name, bytes }
    return {
      status: 'succeeded',
      output: `Written: ${name}, ${bytes} bytes (${file.id}).`,
      events: [runEvent(runId, 'file.written', { ...data, call_id: callId }, callId)],
    }
  }

  async function checkBounds(transaction: Transaction): Promise<void> {
    const before = await readRunFiles(transaction, writer)
    const outputs = before.filter(({ step_position: by }) => by !== null)
    if (outputs.length >= maxWrittenFiles) {
      throw tooMany(ctx, 'too_many_files', maxWrittenFiles, 'written files a run')
    }
    const sum = outputs.reduce((total, file) => total + file.bytes, bytes)
    if (sum > maxWrittenBytes) {
      const why = `the run's written files would have ${sum} bytes, at most ${maxWrittenBytes}`
      throw cannot(ctx, 'file_too_large', why)
    }
    if (before.some((file) => file.name === name)) {
      const why = 'the run has a file of that name, choose another'
      throw cannot(ctx, 'invalid_value', why)
    }
  }

  return { keep, drop }
}

async function* parts(content: Buffer): AsyncGenerator<Buffer> {
  yield content
}
