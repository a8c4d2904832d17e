import {
  FileImage,
  FileJson,
  FileSpreadsheet,
  FileText,
  FileType,
  type LucideIcon,
} from 'lucide-react'
import type { RunFile, StoredFile } from '../../../sdk/generated.ts'
import { formatBytes, formatCount, plural } from '../../ui/text/format.ts'

/** Facts about a file that all lists show. */
export type KnownFile = Pick<
  StoredFile,
  'id' | 'name' | 'media_type' | 'bytes' | 'pages' | 'text_status'
> &
  Partial<Pick<RunFile, 'deleted'>> &
  Partial<Pick<StoredFile, 'width' | 'height'>>

const types: Record<string, { word: string; icon: LucideIcon }> = {
  'text/plain': { word: 'Text', icon: FileText },
  'text/markdown': { word: 'Markdown', icon: FileText },
  'text/csv': { word: 'CSV', icon: FileSpreadsheet },
  'application/json': { word: 'JSON', icon: FileJson },
  'application/pdf': { word: 'PDF', icon: FileType },
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': {
    word: 'Word',
    icon: FileText,
  },
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
    word: 'Excel',
    icon: FileSpreadsheet,
  },
  'image/png': { word: 'PNG', icon: FileImage },
  'image/jpeg': { word: 'JPEG', icon: FileImage },
  'image/webp': { word: 'WebP', icon: FileImage },
  'image/gif': { word: 'GIF', icon: FileImage },
}

export function typeOf(mediaType: string): { word: string; icon: LucideIcon } {
  return types[mediaType] ?? { word: mediaType, icon: FileText }
}

/** `PDF · 1.2 MB · 12 pages`. */
export function factsOf(file: KnownFile): string {
  if (file.deleted === true) return 'deleted'
  const { media_type: mediaType, bytes, pages, width, height } = file
  return [
    typeOf(mediaType).word,
    formatBytes(bytes),
    pages === null ? undefined : plural(pages, 'page'),
    width == null || height == null
      ? undefined
      : `${formatCount(width)} × ${formatCount(height)} pixels`,
  ]
    .filter((fact) => fact !== undefined)
    .join(' · ')
}

/** Parts of the file that agents cannot read; undefined if there are none. */
export function lackOf({ text_status: status, media_type: type }: KnownFile): string | undefined {
  if (status === 'cut') return 'Too long: only the beginning of its text can be read'
  if (status !== 'none') return undefined
  return type === 'application/pdf'
    ? 'No text in it, as in a scan: only a model that takes PDFs can read it'
    : 'No text in it'
}

export function isImage({ media_type: type }: KnownFile): boolean {
  return type.startsWith('image/')
}
