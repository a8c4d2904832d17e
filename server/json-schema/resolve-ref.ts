/** What a `$ref` within a schema means: `#` or `#/…`; undefined for any other and where nothing is. */
export function resolveRef(root: unknown, ref: string): unknown {
  const [start, ...keys] = ref.split('/')
  if (start !== '#') return undefined
  return keys.reduce<unknown>((at, key) => {
    const name = unescapeKey(key)
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name)
      ? (at as Record<string, unknown>)[name]
      : undefined
  }, root)
}

function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return key
  }
}
