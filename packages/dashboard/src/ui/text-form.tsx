import { type ReactNode, useState } from 'react'
import { Field, Input } from './field.tsx'
import { FormEnd, FormModal, type FormModalProps } from './form.tsx'

interface TextFormProps<Result> extends Omit<FormModalProps<Result>, 'send' | 'children'> {
  readonly label?: string
  readonly at?: string
  readonly hint?: string
  readonly placeholder?: string
  /** The text at first. */
  readonly initial?: string
  readonly submit: string
  /** Nothing can be sent while the text is empty; otherwise the service reports it. */
  readonly needsText?: boolean
  send(text: string): Promise<Result>
  /** More buttons. */
  readonly children?: ReactNode
}

/** A dialog that asks for one line of text: by default a name. */
export function TextForm<Result>({
  label = 'Name',
  at = '/name',
  hint,
  placeholder,
  initial = '',
  submit,
  needsText = false,
  send,
  children,
  ...modal
}: TextFormProps<Result>) {
  const [text, setText] = useState(initial)
  return (
    <FormModal {...modal} send={() => send(text.trim())}>
      <Field label={label} at={at} hint={hint}>
        <Input autoFocus autoComplete="off" placeholder={placeholder} value={text} onText={setText} />
      </Field>
      <FormEnd submit={submit} disabled={needsText && text.trim() === ''} onCancel={modal.onClose}>
        {children}
      </FormEnd>
    </FormModal>
  )
}
