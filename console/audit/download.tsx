import { useState, type ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { CsvButton } from '../ui/csv-button.tsx'
import { formatCount } from '../ui/format.ts'
import { queryOf } from './days.ts'
import type { Filters } from './route.ts'

const pageSize = 100
const mostPages = 100

/** What the filters leave as a file, up to a bound; says so where there is more. */
export function DownloadAudit({ filters }: { filters: Filters }): ReactNode {
  const { muster } = useSession()
  const [isCut, setIsCut] = useState(false)
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
  return (
    <>
      <CsvButton label="These changes as CSV" fileName={`audit${days}.csv`} read={read} />
      {isCut && (
        <p role="status" className="w-full text-sm text-warn">
          The file has the newest {formatCount(pageSize * mostPages)} changes. Those before come
          with another time.
        </p>
      )}
    </>
  )
}
