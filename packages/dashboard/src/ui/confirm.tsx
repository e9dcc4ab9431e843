import { type ReactNode, type ComponentProps, useState } from 'react'
import { Button } from './button.tsx'
import { Modal } from './modal.tsx'

export interface ConfirmProps {
  readonly title: string
  /** What will happen, and whether it can be undone. */
  readonly text: ReactNode
  readonly confirm: string
  readonly cancel?: string
  readonly open: boolean
  onCancel(): void
  /** Called after the dialog has closed. */
  onConfirm(): void
}

/** A confirmation dialog for actions that are not a button of their own, such as menu items. */
export function Confirm({ title, text, confirm, cancel = 'Cancel', open, onCancel, onConfirm }: ConfirmProps) {
  return (
    <Modal title={title} open={open} onOpenChange={onCancel}>
      <div className="space-y-4">
        <div>{text}</div>
        <div className="flex justify-end gap-2">
          <Button onClick={onCancel}>{cancel}</Button>
          <Button
            variant="danger"
            onClick={() => {
              onCancel()
              onConfirm()
            }}
          >
            {confirm}
          </Button>
        </div>
      </div>
    </Modal>
  )
}

type ConfirmButtonProps = Omit<ComponentProps<typeof Button>, 'onClick' | 'title'> &
  Omit<ConfirmProps, 'open' | 'cancel' | 'onCancel'>

/** A button that asks for confirmation before an action that cannot be undone. */
export function ConfirmButton({ title, text, confirm, onConfirm, ...button }: ConfirmButtonProps) {
  const [open, setOpen] = useState(false)
  const confirming = { title, text, confirm, onConfirm, open, onCancel: () => setOpen(false) }
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      <Confirm {...confirming} />
    </>
  )
}
