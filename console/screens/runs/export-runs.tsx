import { Menu } from '@base-ui/react/menu'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Muster } from '../../../sdk/client.ts'
import { useSession } from '../../session/session.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Failure } from '../../ui/failure.tsx'
import { formatCount } from '../../ui/text/format.ts'
import { menuItem } from '../../ui/menu.ts'
import { saveBlob } from '../../ui/save-blob.ts'
import { queryOf, type Filters } from '../../data/runs/filters.ts'
import { serverNow } from '../../ui/text/server-time.ts'

const pageSize = 100
const mostRuns = 10_000

const kinds = {
  csv: { label: 'CSV', read: readCsv },
  jsonl: { label: 'JSON Lines', read: readJsonLines },
}
type Kind = keyof typeof kinds

/** Exports the filtered runs as a file. */
export function ExportRuns({ filters }: { filters: Filters }): ReactNode {
  const { muster } = useSession()
  const save = useMutation({
    mutationFn: async (kind: Kind) => {
      const { parts, isCut } = await kinds[kind].read(muster, filters)
      saveBlob(new Blob(parts), `runs.${kind}`)
      return isCut
    },
  })
  return (
    <div className="grid justify-items-end gap-2">
      <Menu.Root>
        <Menu.Trigger
          className={buttonLook()}
          disabled={save.isPending}
          aria-busy={save.isPending || undefined}
        >
          <Download size={15} strokeWidth={1.9} aria-hidden="true" />
          Export
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={6} className="z-50">
            <Menu.Popup className="w-44 rounded-md border bg-raised p-1 shadow-raised outline-none">
              {(Object.keys(kinds) as Kind[]).map((kind) => (
                <Menu.Item key={kind} className={menuItem} onClick={() => save.mutate(kind)}>
                  {kinds[kind].label}
                </Menu.Item>
              ))}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {save.data === true && (
        <p role="status" className="text-sm text-warn">
          The file has the newest {formatCount(mostRuns)} runs. Use filters to export older ones.
        </p>
      )}
      {save.error !== null && <Failure error={save.error} />}
    </div>
  )
}

interface Read {
  parts: string[]
  isCut: boolean
}

async function readCsv(muster: Muster, filters: Filters): Promise<Read> {
  const parts: string[] = []
  for await (const page of muster.runs.csv({ ...queryOf(filters, serverNow()), limit: pageSize })) {
    if (parts.length === mostRuns / pageSize) return { parts, isCut: true }
    parts.push(page)
  }
  return { parts, isCut: false }
}

async function readJsonLines(muster: Muster, filters: Filters): Promise<Read> {
  const parts: string[] = []
  const runs = await muster.runs.list_all({ ...queryOf(filters, serverNow()), limit: pageSize })
  for await (const run of runs) {
    if (parts.length === mostRuns) return { parts, isCut: true }
    parts.push(`${JSON.stringify(run)}\n`)
  }
  return { parts, isCut: false }
}
