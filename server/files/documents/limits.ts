/** Limits of documents. */
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
