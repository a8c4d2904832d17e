/** Limits of a batch, for its schema and for the thread that reads its body. */
export const maxItems = 10_000
/** Bytes of a line of JSON Lines or a row of CSV. */
export const maxLineBytes = 256 * 1024
export const maxColumns = 1_000
/** Characters of JSON of all items. */
export const maxItemsLength = 32 * 1024 * 1024
