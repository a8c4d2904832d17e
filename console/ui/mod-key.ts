/** The modifier of shortcuts such as ⌘K, as this machine's keyboard shows it. */
const isMac = /mac|iphone|ipad/i.test(navigator.platform)

/** `⌘K` on a Mac, `Ctrl K` elsewhere. */
export function modKey(key: string): string {
  return isMac ? `⌘${key}` : `Ctrl ${key}`
}
