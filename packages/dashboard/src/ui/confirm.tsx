import type { ReactNode } from 'react'
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
