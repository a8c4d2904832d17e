/** In this order: a browser names those that it descends from as well. */
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

/** What people call the browser that names itself so; the name itself where it is none of the known ones. */
export function browserOf(userAgent: string | null): string {
  if (userAgent === null) return 'A program'
  const nameIn = (names: Record<string, string>) =>
    Object.entries(names).find(([word]) => userAgent.includes(word))?.[1]
  const [browser, system] = [nameIn(browsers), nameIn(systems)]
  return browser === undefined || system === undefined ? userAgent : `${browser} on ${system}`
}
