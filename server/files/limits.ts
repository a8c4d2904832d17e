/** Bounds of files. Bytes that an account may have together are a setting, and a quota of its operator. */
export const maxFilesPerAccount = 10_000
export const maxNameLength = 200

/** Of an image; a decoder takes four bytes a pixel. */
export const maxSide = 20_000
export const maxPixels = 100_000_000
