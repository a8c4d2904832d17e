import { Menu } from '@base-ui/react/menu'
import { useNavigate } from '@tanstack/react-router'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { menuItem } from '../../ui/menu.ts'
import { useMoveAccount } from './move-account.ts'
import { setTheme, useTheme, type Theme } from '../../ui/theme.ts'

const themes: readonly [Theme, string][] = [
  ['system', 'System theme'],
  ['light', 'Light'],
  ['dark', 'Dark'],
]

interface Button {
  className: string
  children: ReactNode
}

/** A menu that opens at once, with the account's other accounts, the theme and signing out. */
export function AccountChoices({ className, children }: Button): ReactNode {
  const { identity, signOut } = useSession()
  const theme = useTheme()
  const navigate = useNavigate()
  return (
    <Menu.Root defaultOpen>
      <Menu.Trigger autoFocus className={className}>
        {children}
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner side="top" align="start" sideOffset={6} className="z-50">
          <Menu.Popup className="w-60 rounded-md border bg-raised p-1 shadow-raised outline-none">
            <Accounts />
            {identity.person !== undefined && (
              <Menu.Item className={menuItem} onClick={() => void navigate({ to: '/profile' })}>
                Profile and sessions
              </Menu.Item>
            )}
            <Menu.Item className={menuItem} onClick={() => void navigate({ to: '/help' })}>
              Documentation
            </Menu.Item>
            <Menu.Item className={menuItem} render={<a href="/docs">API reference</a>} />
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.RadioGroup value={theme} onValueChange={(value) => setTheme(value as Theme)}>
              {themes.map(([value, label]) => (
                <Choice key={value} value={value} label={label} />
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.Item className={menuItem} onClick={signOut}>
              Sign out
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}

function Accounts(): ReactNode {
  const { identity } = useSession()
  const move = useMoveAccount()
  const accounts = identity.person?.accounts ?? []
  if (accounts.length < 2) return null
  return (
    <>
      <Menu.RadioGroup value={identity.account.id} onValueChange={(id) => void move(id as string)}>
        {accounts.map(({ id, name, role }) => (
          <Choice key={id} value={id} label={`${name} · ${role}`} />
        ))}
      </Menu.RadioGroup>
      <Menu.Separator className="my-1 h-px bg-line" />
    </>
  )
}

function Choice({ value, label }: { value: string; label: string }): ReactNode {
  return (
    <Menu.RadioItem value={value} className={menuItem}>
      <span className="min-w-0 flex-1 truncate">{label}</span>
      <Menu.RadioItemIndicator>
        <Check size={14} aria-hidden="true" />
      </Menu.RadioItemIndicator>
    </Menu.RadioItem>
  )
}
