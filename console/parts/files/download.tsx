import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { saveBlob } from '../../ui/save-blob.ts'
import { largeMs } from '../../data/files.ts'
import type { KnownFile } from './words.ts'

interface Props {
  file: KnownFile
  /** Shows a label beside the icon. */
  isWide?: boolean
}

/** Saves a file under its name. */
export function DownloadButton({ file: { id, name }, isWide = false }: Props): ReactNode {
  const { muster } = useSession()
  const download = useMutation({
    mutationFn: async () => {
      const content = await muster.files.content(id, { timeoutMs: largeMs })
      saveBlob(await content.blob(), name)
    },
  })
  const start = () => download.mutate()
  return (
    <>
      {download.error !== null && (
        <div className="max-w-60">
          <Failure error={download.error} />
        </div>
      )}
      {isWide ? (
        <Button icon={Download} isBusy={download.isPending} onClick={start}>
          Download
        </Button>
      ) : (
        <IconButton
          icon={Download}
          label={`Download ${name}`}
          disabled={download.isPending}
          onClick={start}
        />
      )}
    </>
  )
}
