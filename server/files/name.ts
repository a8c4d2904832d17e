import { wholeEnd, visibleText } from '../safe-text.ts'
import { maxNameLength } from './limits.ts'

/**
 * A safe file name: the last part of the client's, without invisible characters and those with a
 * meaning to file systems. A long name is cut before its extension.
 */
export function fileName(given: string | undefined): string {
  const last = (given ?? '').split(/[/\\]/).at(-1) ?? ''
  const plain = visibleText(last.normalize('NFC'))
    .replaceAll(/[\s\u{FFFD}]+/gu, ' ')
    .replaceAll(/[<>:"|?*]/g, '_')
    .replace(/^[. ]+/, '')
    // Each run of dots is matched once.
    .replace(/(?<![. ])[. ]+$/, '')
  if (plain === '') return 'file'
  const extension = /\.[^. ]{1,12}$/.exec(plain)?.[0] ?? ''
  const stem = plain.slice(0, plain.length - extension.length)
  return stem.slice(0, wholeEnd(stem, maxNameLength - extension.length)) + extension
}

/** The header that makes browsers save a file under its name and never display it. */
export function asAttachment(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]/g, '_').replaceAll(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
