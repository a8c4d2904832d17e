/** Where a link of a page leads in the console: another page of the docs; undefined for links to elsewhere. */
export function helpAddress(page: string, href: string): string | undefined {
  const from = new URL(`https://docs.invalid/${page}.md`)
  const target = URL.parse(href, from)
  if (target === null || target.host !== from.host || !target.pathname.endsWith('.md'))
    return undefined
  const name = target.pathname.slice(1, -'.md'.length)
  return name === 'README' ? '/help' : `/help/${name}`
}
