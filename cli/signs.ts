import { shell } from './shell.ts'

/** False if the locale has ASCII alone, as `LANG=C`; containers often set none, and show all. */
export function hasUnicode(): boolean {
  const { env } = shell()
  const locale = env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''
  return locale === '' || /utf-?8/i.test(locale)
}

/** A sign, or its stand-in. */
export function sign(unicode: string, ascii: string): string {
  return hasUnicode() ? unicode : ascii
}
