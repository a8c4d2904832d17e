/** Bounds of files. Bytes that an account may have together are a setting, and a quota of its operator. */
export const maxFileBytes = 32 * 1024 * 1024
export const maxFilesPerAccount = 10_000
export const maxNameLength = 200

/** Of an image; a decoder takes four bytes a pixel. */
export const maxSide = 20_000
export const maxPixels = 100_000_000

export const maxPages = 5_000
/** UTF-16 units of a PDF's text that are kept, and of one page of it. */
export const maxPdfText = 10_000_000
export const maxPageText = 500_000
/** Pieces in which the text of other files is kept. */
export const pieceLength = 20_000
