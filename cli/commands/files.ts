import type { StoredFile } from '../../sdk/index.ts'
import { usageError } from '../failure.ts'
import { size } from '../format.ts'
import { given, limit, take, type Call, type Limited, type Verbs } from '../noun.ts'
import { clean, fields, table } from '../output.ts'
import { saveFile, type SaveOptions } from '../save-file.ts'
import { upload } from '../upload.ts'

export function addFiles(program: Verbs): void {
  const { verb } = program.noun('files', 'upload, list, show, download and delete files')
  verb(
    'upload <paths...>',
    'upload files for runs, - for stdin: text, PDF, Word, Excel and images up to 32 MB each',
    async ({ muster, options, out }: Call<{ name?: string }>, ...args) => {
      const paths = args.flat()
      if (options.name !== undefined && paths.length > 1) {
        throw usageError('Cannot upload files: --name is for a single one')
      }
      const files: StoredFile[] = []
      try {
        for (const path of paths) files.push(await upload(muster, path, options.name))
      } catch (error) {
        if (files.length > 0) out.result(files, () => listed(files))
        throw error
      }
      return files
    },
    listed,
  ).option('--name <name>', 'what it is called, in place of its own name')
  verb(
    'list',
    'list files, newest first',
    ({ muster, options }: Call<Limited>) => take(options, (page) => muster.files.list(page)),
    listed,
  ).option(...limit(50))
  verb(
    'show <file>',
    'show what is known of a file',
    ({ muster }, id = '') => muster.files.retrieve(id),
    (file) =>
      fields(
        file,
        ['id', 'name', 'media_type', 'size', 'sha256', 'pages', 'pixels', 'text', 'created_at'],
        { size: sizeOf, pixels: pixelsOf, text: textOf },
      ),
  )
  verb(
    'download <file>',
    'save a file under its name in this folder, or elsewhere',
    ({ muster, options }: Call<SaveOptions & { out?: string }>, id = '') =>
      saveFile(muster, id, given(options)),
    ({ path, bytes }) => `Saved ${clean(path)} (${size(bytes)}).`,
  )
    .option('--out <path>', 'save it there, - for stdout')
    .option('--force', 'replace a file that is there already')
  verb(
    'delete <file>',
    'delete a file; runs that have ended keep its name',
    ({ muster }, id = '') => muster.files.delete(id),
    ({ id }) => `Deleted ${id}.`,
  )
}

function listed(files: StoredFile[]): string {
  return table(files, ['id', 'name', 'media_type', 'size', 'pages', 'text', 'created_at'], {
    size: sizeOf,
    text: textOf,
  })
}

const sizeOf = ({ bytes }: StoredFile): string => size(bytes)

function pixelsOf({ width, height }: StoredFile): string | null {
  return width === null ? null : `${width} × ${height}`
}

/** Whether models that take no such file can read it. */
function textOf({ text_status: status, text_chars: chars }: StoredFile): string | null {
  if (status === null) return null
  if (status === 'none') return 'none, as in a scan'
  return `${chars} characters${status === 'cut' ? ', only the beginning' : ''}`
}
