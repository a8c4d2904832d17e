import { backgroundContext } from '../../accounts/background-context.ts'
import type { Services } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { retrieveFile } from '../../files/files.ts'
import { storeContent } from '../../files/stored-content.ts'
import { uploadFile } from '../../files/upload.ts'
import { derivedId } from '../../ids.ts'
import { outcomeOf } from '../../work/outcome.ts'
import { maxAttachments, type Mail } from './read-source.ts'
import type { ClaimedMailbox } from './store.ts'

/**
 * Stores attachments as files of the account. A rejected one is listed in `skipped` with the
 * reason.
 */
export async function storeAttachments(
  services: Services,
  box: ClaimedMailbox,
  runId: string,
  { attachments, hasMoreAttachments }: Mail,
): Promise<{ files: string[]; skipped: string[] }> {
  const files: string[] = []
  const skipped: string[] = []
  for (const [index, { name, bytes }] of attachments.entries()) {
    const fileId = derivedId('file', runId, index)
    const action = 'store attachment'
    const ctx = await backgroundContext(services, box.accountId, {
      cause: { id: box.id, name: box.name },
      action,
      audit: 'file.uploaded',
      reservedId: fileId,
    })
    try {
      await retrieveFile(ctx, fileId).catch(async (error: unknown) => {
        if (!(error instanceof DomainError) || error.code !== 'not_found') throw error
        const where = { accountId: box.accountId, action, name }
        const stored = await storeContent(services, where, piecesOf(bytes))
        await uploadFile(ctx, fileId, stored)
      })
      files.push(fileId)
    } catch (error) {
      if (outcomeOf(error)?.kind !== 'refused') throw error
      skipped.push(`${name}: ${(error as Error).message}`.slice(0, 300))
    }
  }
  if (hasMoreAttachments) skipped.push(`more than ${maxAttachments} attachments`)
  return { files, skipped: cutAll(skipped) }
}

const maxSkippedBytes = 6_000

/** The first texts that have at most so many bytes together, so that the run's data stays within its limit. */
function cutAll(texts: string[]): string[] {
  let left = maxSkippedBytes
  return texts.filter((text) => (left -= Buffer.byteLength(JSON.stringify(text))) >= 0)
}

const pieceBytes = 256 * 1024

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at === 0 || at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes)
  }
}
