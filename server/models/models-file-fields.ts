import { closest } from 'fastest-levenshtein'

/** A problem of the file's content; the message begins with the path inside the file. */
export class ModelsFileProblem extends Error {}

/** Reads one value; `path` is its place in the file, for the message. */
type Parse<T> = (value: unknown, path: string) => T

export function required<T>(value: unknown, path: string, parse: Parse<T>): T {
  if (value === undefined || value === null) throw new ModelsFileProblem(`${path} is required`)
  return parse(value, path)
}

export function optional<T>(value: unknown, path: string, parse: Parse<T>): T | undefined {
  return value === undefined || value === null ? undefined : parse(value, path)
}

export function fields(value: unknown, path: string, known: string[]): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refused(path || 'the file', value, `a mapping with ${known.join(', ')}`)
  }
  for (const name of Object.keys(value)) {
    if (known.includes(name)) continue
    const place = path === '' ? name : `${path}.${name}`
    throw new ModelsFileProblem(
      `${place} is not a field, did you mean ${closest(name, known)}? Accepted are ${known.join(', ')}`,
    )
  }
  return value as Record<string, unknown>
}

export function list(value: unknown, path: string): unknown[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw refused(path, value, 'a list')
  return value
}

export function refuseRepeated(entries: { id: string }[], path: string): void {
  const seen = new Map<string, number>()
  for (const [index, { id }] of entries.entries()) {
    const first = seen.get(id)
    if (first !== undefined) {
      throw new ModelsFileProblem(`${path}[${index}].id is ${show(id)}, as in ${path}[${first}]`)
    }
    seen.set(id, index)
  }
}

export function text(maxLength: number): Parse<string> {
  return (value, path) => {
    if (typeof value !== 'string' || value.trim() === '' || value.length > maxLength) {
      throw refused(path, value, `a text of 1 to ${maxLength} characters`)
    }
    return value
  }
}

export function matching(form: RegExp, accepted: string): Parse<string> {
  return (value, path) => {
    if (typeof value !== 'string' || !form.test(value)) throw refused(path, value, accepted)
    return value
  }
}

export function number(min: number, max: number, whole: boolean): Parse<number> {
  return (value, path) => {
    const fits =
      typeof value === 'number' &&
      value >= min &&
      value <= max &&
      (!whole || Number.isInteger(value))
    if (!fits) throw refused(path, value, `a ${whole ? 'whole ' : ''}number from ${min} to ${max}`)
    return value
  }
}

export const httpUrl: Parse<string> = (value, path) => {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw refused(path, value, 'an http:// or https:// URL')
  }
  return url.href.replace(/\/+$/, '')
}

export const headers: Parse<Record<string, string>> = (value, path) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refused(path, value, 'a mapping of header names to texts')
  }
  for (const [name, content] of Object.entries(value)) {
    // The value may be a secret, so it is not shown.
    if (
      !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) ||
      typeof content !== 'string' ||
      /[^\t\x20-\x7e]/.test(content)
    ) {
      throw new ModelsFileProblem(
        `${path}.${name} is not a header, expected a header name and a text of visible ASCII characters`,
      )
    }
  }
  return value as Record<string, string>
}

function refused(path: string, value: unknown, accepted: string): ModelsFileProblem {
  return new ModelsFileProblem(`${path} is ${show(value)}, expected ${accepted}`)
}

export function show(value: unknown): string {
  const shown = JSON.stringify(value) ?? String(value)
  return shown.length > 80 ? `${shown.slice(0, 79)}…` : shown
}
