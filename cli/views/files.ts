import type { StoredFile } from '../../sdk/index.ts'
import { size } from '../format.ts'
import { fields, table } from '../output.ts'

export function describeFile(file: StoredFile): string {
  const names = ['id', 'name', 'media_type', 'size', 'sha256', 'pages', 'pixels', 'text'] as const
  return fields(file, [...names, 'created_at'], {
    size: sizeOf,
    pixels: pixelsOf,
    text: textSummary,
  })
}

export function listFiles(files: StoredFile[]): string {
  return table(files, ['id', 'name', 'media_type', 'size', 'pages', 'text', 'created_at'], {
    size: sizeOf,
    text: textSummary,
  })
}

const sizeOf = ({ bytes }: StoredFile): string => size(bytes)

function pixelsOf({ width, height }: StoredFile): string | null {
  return width === null ? null : `${width} × ${height}`
}

/** Whether the file's text can be read by models that do not accept its type. */
function textSummary({ text_status: status, text_chars: chars }: StoredFile): string | null {
  if (status === null) return null
  if (status === 'none') return 'none, as in a scan'
  return `${chars} characters${status === 'cut' ? ', only the beginning' : ''}`
}
