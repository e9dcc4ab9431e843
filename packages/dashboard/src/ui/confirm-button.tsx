import { type ComponentProps, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Modal } from './modal.tsx'

interface ConfirmButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick' | 'title'> {
  readonly title: string
  /** What will happen, and whether it can be undone. */
  readonly text: ReactNode
  readonly confirm: string
  onConfirm(): void
}

/** A button that asks for confirmation before an action that cannot be undone. */
export function ConfirmButton({ title, text, confirm, onConfirm, ...button }: ConfirmButtonProps) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      <Modal title={title} open={open} onOpenChange={setOpen}>
        <div className="space-y-4">
          <div>{text}</div>
          <div className="flex justify-end gap-2">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button
              variant="danger"
              onClick={() => {
                setOpen(false)
                onConfirm()
              }}
            >
              {confirm}
            </Button>
          </div>
        </div>
      </Modal>
    </>
  )
}
