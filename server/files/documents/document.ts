/*
 * What the readers of documents share: limits, an open document, and the answers of the thread that reads it.
 */

export const maxPages = 5_000
/** Limit of the stored text of a document and of one PDF page, in UTF-16 units. */
export const maxDocumentText = 10_000_000
export const maxPageText = 500_000
/**
 * Limits of a Word or Excel file, which is a ZIP archive: entries, and bytes of its XML parts
 * unpacked.
 */
export const maxArchiveEntries = 10_000
export const maxUnpackedBytes = 64 * 1024 * 1024

/** A document opened by a reader in the thread. */
export interface OpenDocument {
  mediaType: string
  /** Number of pages of a PDF; else null. */
  pages: number | null
  /** Texts of the pages, or batches of the text. */
  texts: AsyncIterable<PageText> | Iterable<PageText>
}

export interface PageText {
  text: string
  isCut: boolean
}

/** Why a document cannot be read, for the person who uploaded it. */
export class DocumentRefusal extends Error {}

/** Documents whose text a thread reads; `office` is a ZIP archive that may hold a Word document or an Excel workbook. */
export type DocumentKind = 'pdf' | 'office'

export type FromThread =
  | { kind: 'opened'; mediaType: string; pages: number | null }
  /** The document cannot be read. */
  | { kind: 'refused'; why: string }
  /** Texts of the next pages; the thread continues when it is asked for more. */
  | { kind: 'texts'; texts: string[] }
  | { kind: 'end'; isCut: boolean }
