/** Documents whose text a thread reads; `office` is a ZIP archive that may hold a Word document or an Excel workbook. */
export type DocumentKind = 'pdf' | 'office'

/** Messages between the thread and its owner. */
export type FromThread =
  | { kind: 'opened'; mediaType: string; pages: number | null }
  /** The document cannot be read. */
  | { kind: 'refused'; why: string }
  /** Texts of the next pages; the thread continues when it is asked for more. */
  | { kind: 'texts'; texts: string[] }
  | { kind: 'end'; isCut: boolean }

export type ToThread =
  | { kind: 'open'; document: DocumentKind; bytes: Uint8Array }
  | { kind: 'more' }
