import type { ReactNode } from 'react'
import { useSession } from '../../session/session.tsx'
import { KeysSwitch } from '../../ui/keys-switch.tsx'
import { Modal } from '../../ui/modal.tsx'
import { modKey } from '../../ui/mod-key.ts'
import { placesFor } from './places.ts'

const groups: readonly [string, readonly [string, string][]][] = [
  [
    'Everywhere',
    [
      [modKey('K'), 'Go to anything'],
      ['/', 'Find in the list, or among runs, notes or the docs'],
      ['t', 'Exact times, or how long ago'],
      ['?', 'These keys'],
      ['Esc', 'Close what is open'],
    ],
  ],
  [
    'Inbox',
    [
      ['j', 'Next case'],
      ['k', 'Previous case'],
      ['a', 'Approve'],
      ['A', 'Approve all actions of the case'],
      ['e', 'Edit, then approve'],
      ['r', 'Reject, or answer'],
    ],
  ],
  [
    'Runs',
    [
      ['j', 'Next run, or next row of a run'],
      ['k', 'The one before'],
      ['Enter', 'Open it'],
      ['x', 'Choose it, after Select'],
    ],
  ],
]

const keyLook = 'rounded-sm border bg-canvas px-1.5 py-0.5 font-mono text-xs'

export function KeyHelp({ close }: { close: () => void }): ReactNode {
  const { rights } = useSession()
  const screens: [string, string][] = placesFor(rights).map(({ key, label }) => [`g ${key}`, label])
  return (
    <Modal title="Keys" help="keyboard" onClose={close} isWide>
      <div className="grid gap-x-10 gap-y-5 sm:grid-cols-2">
        {[...groups, ['Screens', screens] as const].map(([title, keys]) => (
          <section key={title}>
            <h3 className="mb-1.5 text-sm font-semibold">{title}</h3>
            <dl className="grid gap-1">
              {keys.map(([key, meaning]) => (
                <div key={key + meaning} className="flex items-baseline justify-between gap-4">
                  <dt className="order-2">
                    <kbd className={keyLook}>{key}</kbd>
                  </dt>
                  <dd className="text-ink-soft">{meaning}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="mt-5 text-ink-soft">
        <kbd className={keyLook}>a</kbd> and <kbd className={keyLook}>A</kbd> act at once while the
        focus is inside the case, as after <kbd className={keyLook}>j</kbd> or{' '}
        <kbd className={keyLook}>k</kbd> or a click into it. Otherwise press them twice.
      </p>
      <div className="mt-4 border-t pt-4">
        <KeysSwitch />
      </div>
    </Modal>
  )
}
