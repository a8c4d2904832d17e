import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { StoredFile } from '../../../sdk/generated.ts'
import { useSession } from '../../session/session.tsx'
import { ConfirmButton } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/text/copy.tsx'
import { Found } from '../../ui/found.tsx'
import { Page, WayBack } from '../../ui/page.tsx'
import { Ago } from '../../ui/text/time.tsx'
import { DownloadButton } from '../../parts/files/download.tsx'
import { Lack } from '../../parts/files/file-line.tsx'
import { Preview } from './preview.tsx'
import { useFile } from '../../data/files.ts'
import { factsOf } from '../../parts/files/words.ts'

/** One file: its facts, and a preview as far as that is safe. */
export function FileScreen(): ReactNode {
  const { fileId } = useParams({ from: '/files/$fileId' })
  const query = useFile(fileId)
  return (
    <Found query={query} tab="File" lines={10}>
      {(file) => (
        <Page
          title={file.name}
          above={<WayBack to="/files" label="Files" />}
          about={
            <>
              <p>
                {factsOf(file)} · <Ago at={file.created_at} />
              </p>
              <Lack file={file} />
            </>
          }
          actions={<FileActions file={file} />}
        >
          <Preview key={file.id} file={file} />
          <p className="mt-3 font-mono text-xs wrap-anywhere text-ink-faint">
            {file.id} · sha256 {file.sha256}
          </p>
        </Page>
      )}
    </Found>
  )
}

function FileActions({ file }: { file: StoredFile }): ReactNode {
  const { muster, rights } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const remove = async () => {
    await muster.files.delete(file.id)
    await navigate({ to: '/files' })
    await queries.invalidateQueries({ queryKey: ['files'] })
    queries.removeQueries({ queryKey: ['file', file.id] })
  }
  return (
    <>
      <CopyButton isWide text={file.name} label="Copy the name" />
      <DownloadButton isWide file={file} />
      {rights.write && (
        <ConfirmButton
          label="Delete"
          icon={Trash2}
          title={`Delete ${file.name}?`}
          action="Delete it"
          wayOut="Cancel"
          run={remove}
        >
          Runs that used it keep its name, and cannot be retried. It cannot be undone.
        </ConfirmButton>
      )}
    </>
  )
}
