/** Bounds of files. Bytes that an account may have together are a setting, and a quota of its operator. */
export const maxFilesPerAccount = 10_000
export const maxNameLength = 200

/** Of an image; a decoder takes four bytes a pixel. */
export const maxSide = 20_000
export const maxPixels = 100_000_000

export const maxPages = 5_000
/** UTF-16 units of a document's text that are kept, and of one page of a PDF. */
export const maxDocumentText = 10_000_000
export const maxPageText = 500_000
/** Of a Word or Excel file, which is a ZIP archive: entries, and bytes of its XML parts unpacked. */
export const maxArchiveEntries = 10_000
export const maxUnpackedBytes = 64 * 1024 * 1024
/** Pieces in which the text of other files is kept. */
export const pieceLength = 20_000
