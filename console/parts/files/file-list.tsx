import type { ReactNode } from 'react'
import { CopyButton } from '../../ui/text/copy.tsx'
import { DownloadButton } from './download.tsx'
import { FileLine } from './file-line.tsx'
import type { KnownFile } from './words.ts'

/** Files of a run, with buttons to open, save and copy the name. */
export function FileList(props: { label: string; files: readonly KnownFile[] }): ReactNode {
  const { label, files } = props
  return (
    <ul aria-label={label} className="divide-y">
      {files.map((file) => (
        <li key={file.id}>
          <FileLine file={file}>
            <CopyButton text={file.name} label={`Copy the name ${file.name}`} />
            {file.deleted !== true && <DownloadButton file={file} />}
          </FileLine>
        </li>
      ))}
    </ul>
  )
}
