import { Files } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { useFind } from '../../ui/find.tsx'
import { List } from '../../ui/list.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty } from '../../ui/states.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { ChooseButton } from '../../parts/files/choose-button.tsx'
import { DownloadButton } from '../../parts/files/download.tsx'
import { FileLine } from '../../parts/files/file-line.tsx'
import { useIncomingFiles } from '../../parts/files/incoming.ts'
import { searchText, useFiles } from '../../data/files.ts'
import { UploadLine } from '../../parts/files/upload-line.tsx'
import { useUploads } from '../../parts/files/uploads.ts'

/** All files of the account: inputs of runs and files written by agents. */
export function FilesScreen(): ReactNode {
  const { rights } = useSession()
  const query = useFiles()
  const find = useFind(searchText)
  const { uploads, add, again, drop } = useUploads()
  const isOver = useIncomingFiles((...brought) => rights.write && add(...brought))
  return (
    <Page
      title="Files"
      about="Input files of runs and files written by agents. Add files when you try a workflow."
      actions={rights.write && <ChooseButton kind="primary" label="Upload files" take={add} />}
    >
      {uploads.length > 0 && (
        <ul aria-label="Uploads" className="panel mb-4 divide-y">
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
      <div className={isOver && rights.write ? 'rounded-lg outline-2 outline-accent' : ''}>
        <List
          label="Files"
          query={query}
          find={find}
          empty={
            <Empty icon={Files} title="No files yet" help="files">
              <p>
                {rights.write ? 'Drop them here, paste them or choose them: ' : 'They can be '}
                text, Markdown, CSV, JSON, PDF, Word, Excel, PNG, JPEG, WebP or GIF, up to 32 MB
                each.
              </p>
            </Empty>
          }
        >
          {(file) => (
            <FileLine
              file={file}
              more={
                <>
                  {' · '}
                  <Ago at={file.created_at} />
                </>
              }
            >
              <DownloadButton file={file} />
            </FileLine>
          )}
        </List>
      </div>
    </Page>
  )
}
