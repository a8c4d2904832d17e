import { Dialog } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { HelpLink } from './help/help-link.tsx'
import type { HelpTopic } from './help/topics.ts'

interface Props {
  title: string
  description?: ReactNode
  /** What the docs say about it; null for a question about one action. */
  help: HelpTopic | null
  /** Left out, the dialog stays open until its action is done. */
  onClose?: () => void
  isWide?: boolean
  /** Where the focus starts; by default the first control. */
  initialFocus?: ComponentProps<typeof Dialog.Popup>['initialFocus']
  children: ReactNode
}

/** A dialog in the middle; on a phone a sheet at the bottom. */
export function Modal(props: Props): ReactNode {
  const { title, description, help, onClose, isWide = false, initialFocus, children } = props
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose?.()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Popup
          initialFocus={initialFocus}
          className={`fixed inset-x-0 bottom-0 z-50 max-h-[90dvh] overflow-y-auto rounded-t-lg border border-line bg-raised p-5 shadow-raised sm:inset-x-auto sm:top-[12vh] sm:bottom-auto sm:left-1/2 sm:max-h-[76vh] sm:w-full sm:-translate-x-1/2 sm:rounded-lg ${isWide ? 'sm:max-w-2xl' : 'sm:max-w-md'}`}
        >
          <div className="mb-4 flex items-start justify-between gap-4">
            <div className="min-w-0">
              <Dialog.Title className="text-lg font-semibold">{title}</Dialog.Title>
              {description !== undefined && (
                <Dialog.Description className="mt-1 text-ink-soft">
                  {description}
                </Dialog.Description>
              )}
            </div>
            {onClose !== undefined && (
              <Dialog.Close
                aria-label="Close"
                className="-mt-1 -mr-1 inline-grid size-8 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-hover"
              >
                <X size={16} aria-hidden="true" />
              </Dialog.Close>
            )}
          </div>
          {help !== null && (
            <p className="-mt-2 mb-4">
              <HelpLink topic={help} isNewTab />
            </p>
          )}
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
