import type { Context } from '../context.ts'
import { type FileRow, insertPages } from './store.ts'
import { readDocument } from './documents/read-document.ts'
import { invalidFile, type StoredContent } from './stored-content.ts'
import { textPieces } from './text-pieces.ts'

export type Known = Pick<
  FileRow,
  'media_type' | 'pages' | 'width' | 'height' | 'text_status' | 'text_chars'
> & { text_pages: number }

type Reader = Pick<Context, 'database' | 'limits' | 'accountId' | 'action'>

/** Reads the properties of stored contents, and stores the text page by page meanwhile. */
export async function readContent(ctx: Reader, content: StoredContent): Promise<Known> {
  const { kind, key, bytes, read } = content
  const { mediaType: media_type } = kind
  const none = { media_type, pages: null, width: null, height: null, text_pages: 0 }
  switch (kind.kind) {
    case 'image': {
      const { width, height } = kind
      return { ...none, width, height, text_status: null, text_chars: null }
    }
    case 'text': {
      using _slot = await ctx.limits.fileTexts.take(ctx.accountId, ctx.action)
      const refuse = (why: string) => invalidFile(ctx.action, why)
      const text = await storePages(ctx, key, textPieces(read(0, bytes), refuse))
      return { ...none, ...text, text_status: 'complete' }
    }
    case 'pdf':
    case 'office': {
      using _slot = await ctx.limits.documents.take(ctx.accountId, ctx.action)
      await using document = await readDocument(kind.kind, read(0, bytes), bytes)
      const { refusal, mediaType, pages, texts } = document
      if (refusal !== undefined) throw invalidFile(ctx.action, refusal)
      const text = await storePages(ctx, key, texts)
      const status = document.isCut() ? 'cut' : text.text_chars === 0 ? 'none' : 'complete'
      return { ...none, ...text, media_type: mediaType, pages, text_status: status }
    }
  }
}

/** Approximate characters per statement. */
const batchLength = 512 * 1024

async function storePages(
  { database }: Reader,
  key: StoredContent['key'],
  texts: AsyncIterable<string>,
): Promise<Pick<Known, 'text_chars' | 'text_pages'>> {
  let text_chars = 0
  let text_pages = 0
  let hasText = false
  let batch: string[] = []
  let length = 0
  const write = async (): Promise<void> => {
    if (batch.length > 0) await insertPages(database, key, text_pages - batch.length + 1, batch)
    batch = []
    length = 0
  }
  for await (const given of texts) {
    // Normalized like queries; macOS writes accents as separate characters.
    const text = given.normalize('NFC')
    batch.push(text)
    text_pages++
    text_chars += text.length
    hasText ||= text.trim() !== ''
    length += text.length
    if (length >= batchLength) await write()
  }
  await write()
  // Separators alone do not count as text.
  return { text_chars: hasText ? text_chars : 0, text_pages }
}
