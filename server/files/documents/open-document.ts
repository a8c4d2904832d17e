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
