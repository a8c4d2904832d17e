/** The console's address for a link between pages of the docs; undefined for external links. */
export function helpAddress(page: string, href: string): string | undefined {
  const target = within(page, href)
  if (target === undefined || !target.pathname.endsWith('.md')) return undefined
  const name = target.pathname.slice(1, -'.md'.length)
  return `${name === 'README' ? '/help' : `/help/${name}`}${target.hash}`
}

/** Where the console has a picture of a page; undefined for external pictures. */
export function helpPicture(page: string, src: string): string | undefined {
  const target = within(page, src)
  return target && /\.(png|svg)$/.test(target.pathname) ? `/help${target.pathname}` : undefined
}

function within(page: string, address: string): URL | undefined {
  const from = new URL(`https://docs.invalid/${page}.md`)
  const target = URL.parse(address, from)
  return target?.origin === from.origin ? target : undefined
}
