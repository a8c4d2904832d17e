/**
 * A base URL without a path gets the provider's usual one: the official clients disagree on whether
 * `https://host` or `https://host/v1` is what people write.
 */
export function withDefaultPath(baseUrl: string | undefined, defaultUrl: string): string {
  if (baseUrl === undefined) return defaultUrl
  const url = new URL(baseUrl)
  if (url.pathname === '/') url.pathname = new URL(defaultUrl).pathname
  return url.href.replace(/\/+$/, '')
}
