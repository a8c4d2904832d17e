import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Failure } from './failure.tsx'
import { saveBlob } from './save-blob.ts'

interface Props {
  /** Name of the data, if the page has several such buttons. */
  label?: string
  kind?: 'plain' | 'quiet'
  fileName: string
  read: () => Promise<string>
}

/** Downloads the API's CSV as a file. */
export function CsvButton({ label, kind = 'plain', fileName, read }: Props): ReactNode {
  const download = useMutation({
    mutationFn: async () => saveBlob(new Blob([await read()]), fileName),
  })
  return (
    <div className="grid justify-items-end gap-2">
      <Button
        kind={kind}
        icon={Download}
        isBusy={download.isPending}
        aria-label={label}
        onClick={() => download.mutate()}
      >
        CSV
      </Button>
      {download.error !== null && <Failure error={download.error} />}
    </div>
  )
}
