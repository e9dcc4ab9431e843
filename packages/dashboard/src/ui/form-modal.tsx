import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Confirm } from './confirm.tsx'
import { Form, type FormProps } from './form.tsx'
import { Modal } from './modal.tsx'

interface FormModalProps<Result> extends FormProps<Result> {
  readonly title: string
  readonly description?: ReactNode
  readonly wide?: boolean
  /** Whether closing would lose input, so that it must be confirmed. */
  readonly isDirty?: boolean
  onClose(): void
}

/** A form in a dialog, which closes once it is sent. */
export function FormModal<Result>({
  title,
  description,
  wide = false,
  isDirty = false,
  onClose,
  onSuccess,
  ...form
}: FormModalProps<Result>) {
  const [isAsking, setIsAsking] = useState(false)
  useEffect(() => {
    if (!isDirty) return
    const keep = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', keep)
    return () => removeEventListener('beforeunload', keep)
  }, [isDirty])
  /** A late response must not close a dialog that was opened since. */
  const isOpen = useRef(false)
  useEffect(() => {
    isOpen.current = true
    return () => void (isOpen.current = false)
  }, [])
  return (
    <>
      <Modal
        title={title}
        description={description}
        wide={wide}
        open
        onOpenChange={() => (isDirty ? setIsAsking(true) : onClose())}
      >
        <Form
          {...form}
          onSuccess={(result) => {
            if (isOpen.current) onClose()
            return onSuccess?.(result)
          }}
        />
      </Modal>
      <Confirm
        title="Discard your changes?"
        text="They have not been saved."
        cancel="Keep editing"
        confirm="Discard"
        open={isAsking}
        onCancel={() => setIsAsking(false)}
        onConfirm={onClose}
      />
    </>
  )
}
