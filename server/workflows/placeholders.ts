/**
 * Texts that the templates of `muster init` and of the console leave to be replaced. A workflow or a
 * schedule that still has one has a warning.
 */
const placeholders = /\bOWNER\/REPOSITORY\b|#CHANNEL\b|\byou@example\.com\b|\bYOUR_[A-Z][A-Z_]*\b/g

/** The placeholders in a value's texts, each once, at most ten. */
export function findPlaceholders(value: unknown): string[] {
  const found = JSON.stringify(value ?? null).matchAll(placeholders)
  return [...new Set(Array.from(found, ([text]) => text))].slice(0, 10)
}

/** The warning that a text still has placeholders. */
export function placeholderWarning(
  found: string[],
  where: string,
): { code: 'placeholder_left'; message: string }[] {
  if (found.length === 0) return []
  return [{ code: 'placeholder_left', message: `Replace ${found.join(', ')} in ${where}` }]
}
