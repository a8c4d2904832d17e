/** The path to open after signing in: the current page, or the one that led to the sign-in page. */
export function pathToGoOn(): string {
  if (location.pathname !== '/sign-in') return location.pathname + location.search
  return pathAsked()
}

/** The path on this server that the address asks for by `return_to`; Home by default. */
export function pathAsked(): string {
  const wanted = new URLSearchParams(location.search).get('return_to') ?? '/'
  const url = URL.parse(wanted, location.origin)
  return url?.origin === location.origin ? url.pathname + url.search + url.hash : '/'
}

/** The address that starts a sign-in at the organisation's provider. */
export function oidcLink(url: string, returnTo: string, { asksWho = false } = {}): string {
  const prompt = asksWho ? '&prompt=select_account' : ''
  return `${url}?return_to=${encodeURIComponent(returnTo)}${prompt}`
}
