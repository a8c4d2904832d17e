/** A document that a reader opened in the thread. */
export interface OpenDocument {
  mediaType: string
  /** Of a PDF; null for documents without pages. */
  pages: number | null
  /** Texts of the pages, or pieces of the text. */
  texts: AsyncIterable<PageText> | Iterable<PageText>
}

export interface PageText {
  text: string
  isCut: boolean
}

/** Why a document cannot be read, in words for the person who uploaded it. */
export class DocumentRefusal extends Error {}
