import { Menu } from '@base-ui/react/menu'
import { Check, ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '../session/session.tsx'
import { setTheme, useTheme, type Theme } from './theme.ts'

const themes: readonly [Theme, string][] = [
  ['system', 'Theme of the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]
const item =
  'flex h-8 cursor-pointer items-center gap-2 rounded-sm px-2.5 text-base outline-none select-none data-highlighted:bg-hover pointer-coarse:h-11'

/** The account, who acts in it, the theme, and the way out. */
export function AccountMenu(): ReactNode {
  const { account, role, signOut } = useSession()
  const theme = useTheme()
  return (
    <div className="border-t p-3">
      <Menu.Root>
        <Menu.Trigger className="flex w-full items-center gap-2 rounded-md px-2.5 py-1.5 text-left hover:bg-hover">
          <span className="min-w-0 flex-1">
            <span className="block truncate text-base font-medium">{account.name}</span>
            <span className="block truncate text-xs text-ink-faint">
              {account.key.name} · {role}
            </span>
          </span>
          <ChevronsUpDown size={14} className="shrink-0 text-ink-faint" aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner side="top" align="start" sideOffset={6} className="z-50">
            <Menu.Popup className="w-56 rounded-md border bg-raised p-1 shadow-raised outline-none">
              <Menu.RadioGroup value={theme} onValueChange={(value) => setTheme(value as Theme)}>
                {themes.map(([value, label]) => (
                  <Menu.RadioItem key={value} value={value} className={item}>
                    <span className="flex-1">{label}</span>
                    <Menu.RadioItemIndicator>
                      <Check size={14} aria-hidden="true" />
                    </Menu.RadioItemIndicator>
                  </Menu.RadioItem>
                ))}
              </Menu.RadioGroup>
              <Menu.Separator className="my-1 h-px bg-line" />
              <Menu.Item className={item} render={<a href="/docs">Reference of the API</a>} />
              <Menu.Item className={item} onClick={signOut}>
                Sign out
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </div>
  )
}
