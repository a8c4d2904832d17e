/** Bounds of documents. */
export const maxPages = 5_000
/** UTF-16 units of a document's text that are kept, and of one page of a PDF. */
export const maxDocumentText = 10_000_000
export const maxPageText = 500_000
/** Of a Word or Excel file, which is a ZIP archive: entries, and bytes of its XML parts unpacked. */
export const maxArchiveEntries = 10_000
export const maxUnpackedBytes = 64 * 1024 * 1024
