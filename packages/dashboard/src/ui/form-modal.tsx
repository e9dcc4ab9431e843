import { type ReactNode, useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { Modal } from './modal.tsx'

interface FormModalProps {
  readonly title: string
  readonly description?: ReactNode
  readonly wide?: boolean
  /** Whether something would be lost: it is asked about before. */
  readonly isDirty: boolean
  onClose(): void
  readonly children: ReactNode
}

/** A dialog with a form in it, which is not closed by accident once something was typed. */
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
      <Modal title="Discard what you have entered?" open={isAsking} onOpenChange={setIsAsking}>
        <p className="mb-4">It has not been saved.</p>
        <div className="flex justify-end gap-2">
          <Button onClick={() => setIsAsking(false)}>Go on editing</Button>
          <Button variant="danger" onClick={onClose}>
            Discard
          </Button>
        </div>
      </Modal>
    </>
  )
}
