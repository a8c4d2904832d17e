import type { StoredFile } from '../../sdk/index.ts'
import { usageError } from '../failure.ts'
import { size } from '../format.ts'
import { given, type Call, type Verbs } from '../noun.ts'
import { clean } from '../output.ts'
import { saveFile, type SaveOptions } from '../save-file.ts'
import { listFiles } from '../views/files.ts'
import { upload } from '../upload.ts'

export function addFiles(program: Verbs): void {
  const { verb } = program.noun('files')
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
        if (files.length > 0) out.result(files, () => listFiles(files))
        throw error
      }
      return files
    },
    listFiles,
  ).option('--name <name>', 'name for the file, instead of its own')
  verb(
    'download <file>',
    'save a file under its name in this folder, or elsewhere',
    ({ muster, options }: Call<SaveOptions & { out?: string }>, id = '') =>
      saveFile(muster, id, given(options)),
    ({ path, bytes }) => `Saved ${clean(path)} (${size(bytes)}).`,
  )
    .option('--out <path>', 'file to write, - for stdout')
    .option('--force', 'overwrite an existing file')
}
