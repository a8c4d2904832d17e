import type { ComponentProps, ReactNode } from 'react'
import type { LucideIcon } from 'lucide-react'
import { useKeysSetting } from './browser-settings.ts'

type Kind = 'primary' | 'plain' | 'quiet' | 'danger'

const looks: Record<Kind, string> = {
  primary: 'bg-accent-fill text-accent-ink hover:bg-accent-fill-hover',
  plain:
    'border border-line bg-surface text-ink hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent',
  quiet: 'text-ink-soft hover:bg-hover hover:text-ink',
  danger: 'bg-bad-fill text-accent-ink hover:opacity-90',
}

interface Look {
  kind?: Kind
  icon?: LucideIcon
}

interface Props extends Look, Omit<ComponentProps<'button'>, 'className'> {
  isBusy?: boolean
  /** Keyboard shortcut, shown beside the label unless shortcuts are off. */
  shortcut?: string
}

export function buttonLook({ kind = 'plain' }: Look = {}): string {
  return `inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md px-3 text-sm font-medium whitespace-nowrap select-none transition-colors disabled:cursor-default disabled:opacity-50 aria-disabled:cursor-default aria-disabled:opacity-50 pointer-coarse:min-h-11 forced-colors:border print:hidden ${looks[kind]}`
}

export function Button({
  kind = 'plain',
  icon: Icon,
  isBusy = false,
  shortcut,
  type = 'button',
  onClick,
  children,
  ...rest
}: Props): ReactNode {
  const [hasKeys] = useKeysSetting()
  return (
    <button
      type={type}
      // A disabled button would lose the focus.
      aria-disabled={isBusy || undefined}
      aria-busy={isBusy || undefined}
      onClick={(event) => (isBusy ? event.preventDefault() : onClick?.(event))}
      className={buttonLook({ kind })}
      {...rest}
    >
      {Icon !== undefined && <Icon size={15} strokeWidth={1.9} aria-hidden="true" />}
      {children}
      {shortcut !== undefined && hasKeys && (
        <kbd
          aria-hidden="true"
          className="ml-1 hidden font-mono text-xs font-normal opacity-90 pointer-fine:inline"
        >
          {shortcut}
        </kbd>
      )}
    </button>
  )
}

interface IconProps extends Omit<ComponentProps<'button'>, 'className' | 'children'> {
  label: string
  icon: LucideIcon
}

/** A button with an icon; its label is its accessible name and tooltip. */
export function IconButton({ label, icon: Icon, ...rest }: IconProps): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className="inline-grid size-8 shrink-0 place-items-center rounded-md text-ink-soft transition-colors hover:bg-hover hover:text-ink disabled:opacity-50 pointer-coarse:size-11 forced-colors:border print:hidden"
      {...rest}
    >
      <Icon size={16} strokeWidth={1.9} aria-hidden="true" />
    </button>
  )
}
