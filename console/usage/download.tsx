import type { ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { CsvButton } from '../ui/csv-button.tsx'

interface Props {
  from: string
  groupBy: string
  /** What the rows are by, in words. */
  name: string
}

/** All rows as a file, however many the screen shows. */
export function DownloadCsv({ from, groupBy, name }: Props): ReactNode {
  const { muster } = useSession()
  return (
    <CsvButton
      label={`CSV by ${name}`}
      kind="quiet"
      fileName={`usage-by-${groupBy.replace(':', '-')}-since-${from}.csv`}
      read={() => muster.usage.csv({ from, group_by: groupBy })}
    />
  )
}
