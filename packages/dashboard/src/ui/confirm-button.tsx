import { type ComponentProps, useState } from 'react'
import { Button } from './button.tsx'
import { Confirm, type ConfirmProps } from './confirm.tsx'

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
