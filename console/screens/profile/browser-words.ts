/** Order matters: a browser also names its ancestors. */
const browsers = {
  Edg: 'Edge',
  OPR: 'Opera',
  Firefox: 'Firefox',
  Chrome: 'Chrome',
  Safari: 'Safari',
}
const systems = {
  iPhone: 'an iPhone',
  iPad: 'an iPad',
  Android: 'Android',
  Windows: 'Windows',
  Mac: 'a Mac',
  Linux: 'Linux',
}

/** The common name of a browser, by its user agent; the user agent itself if it is unknown. */
export function browserOf(userAgent: string | null): string {
  if (userAgent === null) return 'A program'
  const nameIn = (names: Record<string, string>) =>
    Object.entries(names).find(([word]) => userAgent.includes(word))?.[1]
  const [browser, system] = [nameIn(browsers), nameIn(systems)]
  return browser === undefined || system === undefined ? userAgent : `${browser} on ${system}`
}
