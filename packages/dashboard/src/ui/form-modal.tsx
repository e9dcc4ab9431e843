import { type ReactNode, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { Modal } from './modal.tsx'

interface FormModalProps {
  readonly title: string
  readonly description?: ReactNode
  readonly wide?: boolean
  /** Whether closing would lose input, so that it must be confirmed. */
  readonly isDirty: boolean
  onClose(): void
  readonly children: ReactNode
}

/** A dialog with a form. Closing it after a change asks for confirmation. */
export function FormModal({ isDirty, onClose, children, ...modal }: FormModalProps) {
  const [isAsking, setIsAsking] = useState(false)
  useEffect(() => {
    if (!isDirty) return
    const keep = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', keep)
    return () => removeEventListener('beforeunload', keep)
  }, [isDirty])
  const change = (open: boolean) => {
    if (open) return
    if (isDirty) setIsAsking(true)
    else onClose()
  }
  return (
    <>
      <Modal {...modal} open onOpenChange={change}>
        {children}
      </Modal>
      <Modal title="Discard your changes?" open={isAsking} onOpenChange={setIsAsking}>
        <p className="mb-4">They have not been saved.</p>
        <div className="flex justify-end gap-2">
          <Button onClick={() => setIsAsking(false)}>Keep editing</Button>
          <Button variant="danger" onClick={onClose}>
            Discard
          </Button>
        </div>
      </Modal>
    </>
  )
}
