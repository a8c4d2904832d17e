import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { CsvButton } from '../../ui/csv-button.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { queryOf } from '../../data/audit-filters.ts'
import type { Filters } from '../../data/audit-filters.ts'

const pageSize = 100
const mostPages = 100

interface Props {
  filters: Filters
  setIsCut: (isCut: boolean) => void
}

/** Downloads the filtered entries, up to a limit. */
export function DownloadAudit({ filters, setIsCut }: Props): ReactNode {
  const { muster } = useSession()
  const read = async () => {
    const pages: string[] = []
    setIsCut(false)
    for await (const page of muster.audit.csv({ ...queryOf(filters), limit: pageSize })) {
      if (pages.length === mostPages) {
        setIsCut(true)
        break
      }
      pages.push(page)
    }
    return pages.join('')
  }
  const { from, to } = filters
  const days = [from && `-from-${from}`, to && `-to-${to}`].filter(Boolean).join('')
  return <CsvButton label="These changes as CSV" fileName={`audit${days}.csv`} read={read} />
}

export function CutNotice(): ReactNode {
  return (
    <p role="status" className="mb-4 rounded-md bg-warn-soft px-3 py-2.5 text-sm text-warn">
      The file has the newest {formatCount(pageSize * mostPages)} changes. Choose other days for
      those before.
    </p>
  )
}
