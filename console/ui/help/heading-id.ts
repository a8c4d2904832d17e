/** The id of a heading in the docs, as GitHub makes it, so that links between pages work in both. */
export function headingId(words: string): string {
  return words
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}
