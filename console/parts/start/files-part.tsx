import { X } from 'lucide-react'
import { useState } from 'react'
import type { StoredFile, Workflow } from '../../../sdk/generated.ts'
import { ChooseButton } from '../files/choose-button.tsx'
import { FileLine } from '../files/file-line.tsx'
import { useIncomingFiles } from '../files/incoming.ts'
import { UploadLine } from '../files/upload-line.tsx'
import { useUploads } from '../files/uploads.ts'
import { useAnswer } from '../../session/api.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { plural } from '../../ui/text/format.ts'
import { EarlierFiles } from './earlier-files.tsx'
import type { StartPart } from './part.ts'

const maxFiles = 20

/** Files for a run: dropped anywhere, pasted, chosen, or from the account. */
export function useFilesPart({ id }: Workflow): StartPart {
  const [files, setFiles] = useDraft<readonly StoredFile[]>(`try.files.${id}`, [])
  const [fault, setFault] = useState<string>()
  const [looksBack, setLooksBack] = useState(false)
  const remove = (id: string) => {
    setFault(undefined)
    setFiles(files.filter((file) => file.id !== id))
  }
  const append = (file: StoredFile) => setFiles([...files, file])
  const { uploads, add, again, drop } = useUploads(append)
  const open = uploads.filter(({ error }) => error === undefined).length
  const room = maxFiles - files.length - open
  const take = (given: readonly File[], folders: readonly string[] = []) => {
    const left = given.length - room
    setFault(
      left > 0
        ? `A run takes up to ${maxFiles} files; ${plural(left, 'file')} left out`
        : undefined,
    )
    add(given.slice(0, Math.max(0, room)), folders)
  }
  const isOver = useIncomingFiles(take)
  // The button is hidden if the account has no files.
  const { data: earlier } = useAnswer(['files', 'newest'], (muster, options) =>
    muster.files.list({ ...options, limit: 1 }),
  )
  const isEmpty = files.length === 0 && uploads.length === 0
  return {
    name: 'files',
    isGiven: false,
    isBusy: open > 0,
    ...(files.length > 0 && { lacks: 'Files need a text or data that says what to do.' }),
    read: () => (files.length === 0 ? {} : { files: files.map(({ id }) => id) }),
    blame: ({ param, message }) => {
      if (/^files\b/.test(param)) setFault(message)
    },
    view: (
      <div
        role="group"
        aria-label="Files of the run"
        className={`grid gap-2 rounded-md border border-dashed p-2 ${isOver ? 'border-accent bg-accent-soft' : 'border-line-strong/60'}`}
      >
        <div className="flex flex-wrap items-center gap-2">
          <ChooseButton label="Add files" take={take} />
          {(earlier?.length ?? 0) > 0 && (
            <Button kind="quiet" onClick={() => setLooksBack(true)}>
              Earlier files
            </Button>
          )}
          <span className="text-xs text-ink-faint">
            {isOver
              ? 'Drop them here.'
              : isEmpty
                ? 'Or drop or paste them: text, CSV, JSON, PDF, Word, Excel or images, up to 32 MB each.'
                : `${files.length} of up to ${maxFiles}`}
          </span>
        </div>
        {fault !== undefined && (
          <p role="alert" className="px-1 text-sm text-bad">
            {fault}
          </p>
        )}
        {!isEmpty && (
          <ul aria-label="Files that go with the run" className="panel divide-y">
            {files.map((file) => (
              <li key={file.id}>
                <FileLine file={file}>
                  <IconButton
                    icon={X}
                    label={`Remove ${file.name}`}
                    onClick={() => remove(file.id)}
                  />
                </FileLine>
              </li>
            ))}
            {uploads.map((upload) => (
              <li key={upload.key}>
                <UploadLine
                  upload={upload}
                  again={() => again(upload)}
                  drop={() => drop(upload.key)}
                />
              </li>
            ))}
          </ul>
        )}
        {looksBack && (
          <EarlierFiles
            chosen={files}
            room={room}
            choose={append}
            remove={remove}
            close={() => setLooksBack(false)}
          />
        )}
      </div>
    ),
  }
}
