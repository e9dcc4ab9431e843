import { X } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type ReactNode, useRef } from 'react'

interface ModalProps {
  readonly title: string
  readonly description?: ReactNode
  readonly open: boolean
  onOpenChange(open: boolean): void
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
  children,
  wide = false,
  textOnly = false,
}: ModalProps) {
  /** What had the focus; a dialog that a key opens has no trigger. */
  const before = useRef<Element | null>(null)
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Content
          onOpenAutoFocus={() => (before.current = document.activeElement)}
          onCloseAutoFocus={(event) => {
            if (!(before.current instanceof HTMLElement) || !before.current.isConnected) return
            event.preventDefault()
            before.current.focus()
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
