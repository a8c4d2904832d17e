/** The console's address for a link between pages of the docs; undefined for external links. */
export function helpAddress(page: string, href: string): string | undefined {
  const from = new URL(`https://docs.invalid/${page}.md`)
  const target = URL.parse(href, from)
  if (target === null || target.host !== from.host || !target.pathname.endsWith('.md'))
    return undefined
  const name = target.pathname.slice(1, -'.md'.length)
  return name === 'README' ? '/help' : `/help/${name}`
}
