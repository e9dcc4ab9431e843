import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type ReactNode, useState } from 'react'

interface ModalProps {
  readonly title: string
  readonly description?: ReactNode
  readonly open: boolean
  onOpenChange(open: boolean): void
  /** Called once the dialog has given the focus back. */
  onClosed?(): void
  readonly children: ReactNode
  /** For forms beside a chart. */
  readonly wide?: boolean
  /** Only text: the focus is on it, so that keys scroll it. */
  readonly textOnly?: boolean
}

export function Modal({
  title,
  description,
  open,
  onOpenChange,
  onClosed,
  children,
  wide = false,
  textOnly = false,
}: ModalProps) {
  const [wasOpen, setWasOpen] = useState(false)
  /** Gets the focus back; a dialog that a key opens has no trigger. Noted before `autoFocus` moves the focus. */
  const [before, setBefore] = useState<Element | null>(null)
  if (open !== wasOpen) {
    setWasOpen(open)
    if (open) setBefore(focused())
  }
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Content
          onCloseAutoFocus={(event) => {
            // A dialog that follows this one has the focus already.
            if (document.activeElement?.closest('[role=dialog]')) event.preventDefault()
            else if (before instanceof HTMLElement && before.isConnected) {
              event.preventDefault()
              before.focus()
            }
            onClosed?.()
          }}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
          className={`bg-raised fixed inset-x-2 top-[max(0.5rem,8dvh)] z-50 mx-auto flex max-h-[84dvh] flex-col rounded-xl border shadow-xl outline-none ${wide ? 'max-w-4xl' : 'max-w-lg'}`}
        >
          <div className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
            <div className="min-w-0">
              <Dialog.Title className="text-lg font-semibold">{title}</Dialog.Title>
              {description !== undefined && (
                <Dialog.Description className="text-muted text-sm">{description}</Dialog.Description>
              )}
            </div>
            <Dialog.Close className="text-muted hover:text-ink -m-1 p-1" aria-label="Close">
              <X className="size-4" aria-hidden />
            </Dialog.Close>
          </div>
          <div className="min-h-0 overflow-y-auto px-5 pb-5 -outline-offset-2!" {...(textOnly ? { tabIndex: 0 } : {})}>
            {children}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** What has the focus; the button of a menu instead of its item, which goes with the menu. */
function focused(): Element | null {
  const menu = document.activeElement?.closest('[role=menu]') ?? null
  return menu === null ? document.activeElement : document.getElementById(menu.getAttribute('aria-labelledby') ?? '')
}
