import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { Button } from '../ui/button.tsx'
import { Failure } from '../ui/failure.tsx'
import { saveBlob } from '../ui/save-blob.ts'

interface Props {
  from: string
  groupBy: string
  /** What the rows are by, in words. */
  name: string
}

/** All rows as a file, however many the screen shows. */
export function DownloadCsv({ from, groupBy, name }: Props): ReactNode {
  const { muster } = useSession()
  const download = useMutation({
    mutationFn: async () => {
      const text = await muster.usage.csv({ from, group_by: groupBy })
      saveBlob(new Blob([text]), `usage-by-${groupBy.replace(':', '-')}-since-${from}.csv`)
    },
  })
  return (
    <div className="grid justify-items-end gap-2">
      <Button
        kind="quiet"
        icon={Download}
        isBusy={download.isPending}
        aria-label={`CSV by ${name}`}
        onClick={() => download.mutate()}
      >
        CSV
      </Button>
      {download.error !== null && <Failure error={download.error} />}
    </div>
  )
}
