import type { RunFile } from '../../engine/journal/files.ts'
import { nearest } from '../../nearest.ts'

/** A file whose text can be read. */
export type TextFile = RunFile & { content_id: string }

export type Found = { file: TextFile } | { problem: string }

/** The file that a model names by name or id; if several have the name, the last one. */
export function findFile(files: RunFile[], wanted: string): Found {
  // Normalized like stored names.
  const plain = wanted.trim().normalize('NFC')
  const file =
    files.find(({ id }) => id === plain) ??
    files.findLast(({ name }) => name === plain) ??
    files.findLast(({ name }) => name.toLowerCase() === plain.toLowerCase())
  if (file === undefined) return { problem: noSuchFile(files, plain) }
  const why = whyUnreadable(file)
  return why === undefined ? { file: file as TextFile } : { problem: `${file.name} ${why}` }
}

/** Why the text of a file cannot be read; undefined if it can. */
export function whyUnreadable(file: RunFile): string | undefined {
  if (file.content_id === null) return 'is deleted'
  if (file.text_status === null) return 'is an image and has no text'
  if (file.text_status === 'none') {
    if (file.pages === null) return 'has no text. Say so in your answer'
    return `has no text: its ${file.pages} pages are pictures, probably a scan, which cannot be read here. Say so in your answer`
  }
  return undefined
}

const mostNames = 40

function noSuchFile(files: RunFile[], wanted: string): string {
  const names = [...new Set(files.map(({ name }) => name))]
  const shown = names.length <= mostNames ? names : nearest(wanted, names, mostNames)
  const list = shown.map((name) => JSON.stringify(name)).join(', ')
  return `There is no file ${JSON.stringify(wanted.slice(0, 200))} in this run; its files are ${list}`
}
