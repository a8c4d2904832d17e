import { Menu } from '@base-ui/react/menu'
import { Bookmark, Check, ChevronDown } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { View } from '../../../sdk/generated.ts'
import { fromViewFilters, isSame, toViewFilters, type Filters } from '../../data/runs/filters.ts'
import { useViews } from '../../data/views.ts'
import { useRefresh } from '../../session/api.ts'
import { useSession } from '../../session/session.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { menuItem } from '../../ui/menu.ts'
import { SaveView } from './save-view.tsx'

interface Props {
  filters: Filters
  change: (filters: Filters) => void
}

/** Saved filters: choose one, save the current ones, or delete the chosen one. */
export function ViewsMenu({ filters, change }: Props): ReactNode {
  const { muster, rights } = useSession()
  const refresh = useRefresh(['views'])
  const { data: views = [] } = useViews()
  const [opened, setOpened] = useState<{ dialog: 'save' } | { dialog: 'delete'; view: View }>()
  const current = toViewFilters(filters)
  const chosen = views.find((view) => isSame(view.filters, current))
  const isFiltered = Object.keys(current).length > 0
  const mayName = rights.write && isFiltered && chosen === undefined
  const close = () => setOpened(undefined)
  if (views.length === 0 && !rights.write) return null
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className={buttonLook()}>
          <Bookmark size={15} aria-hidden="true" />
          <span className="max-w-48 truncate">{chosen?.name ?? 'Views'}</span>
          <ChevronDown size={14} className="text-ink-faint" aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={6} className="z-50">
            <Menu.Popup className="max-h-(--available-height) w-72 max-w-[calc(100vw-2rem)] overflow-y-auto rounded-md border bg-raised p-1 shadow-raised outline-none">
              {views.length === 0 && (
                <p className="px-2.5 py-1.5 text-sm text-ink-soft">
                  No saved views yet. Choose filters, then save them under a name.
                </p>
              )}
              {views.map((view) => {
                const offered = fromViewFilters(view.filters)
                return (
                  <Menu.Item
                    key={view.id}
                    disabled={offered === undefined}
                    onClick={() => offered && change(offered)}
                    className={`${menuItem} py-1 data-disabled:cursor-default data-disabled:text-ink-faint`}
                  >
                    <span className="min-w-0 flex-1">
                      <span className="block truncate">{view.name}</span>
                      <span className="block truncate text-xs text-ink-faint">
                        {offered === undefined
                          ? 'Has filters that only the API offers'
                          : `By ${view.created_by.name}`}
                      </span>
                    </span>
                    {view === chosen && <Check size={14} aria-label="Shown" />}
                  </Menu.Item>
                )
              })}
              {rights.write && (views.length === 0 || mayName || chosen !== undefined) && (
                <Menu.Separator className="my-1 h-px bg-line" />
              )}
              {(mayName || (rights.write && views.length === 0)) && (
                <Menu.Item
                  className={`${menuItem} data-disabled:cursor-default data-disabled:text-ink-faint`}
                  disabled={!mayName}
                  onClick={() => setOpened({ dialog: 'save' })}
                >
                  Save these filters…
                </Menu.Item>
              )}
              {rights.write && chosen !== undefined && (
                <Menu.Item
                  className={menuItem}
                  onClick={() => setOpened({ dialog: 'delete', view: chosen })}
                >
                  <span className="truncate">Delete “{chosen.name}”…</span>
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {opened?.dialog === 'save' && <SaveView filters={current} views={views} close={close} />}
      {opened?.dialog === 'delete' && (
        <Confirm
          title={`Delete the view “${opened.view.name}”?`}
          action="Delete it"
          wayOut="Cancel"
          run={async () => {
            await muster.views.delete(opened.view.id)
            await refresh()
          }}
          onClose={close}
        >
          Everyone in the account loses it. The runs stay.
        </Confirm>
      )}
    </>
  )
}
