import { createContext, type ReactNode, type SubmitEvent, useContext, useEffect, useState, useRef } from 'react'
import { type ApiError, asApiError } from '../api/client/api-error.ts'
import { Button } from './button.tsx'
import { ErrorText } from './error-text.tsx'
import { type Outcome, useSilentAction } from './use-action.ts'
import { Confirm } from './confirm.tsx'
import { Modal } from './modal.tsx'

interface FormState {
  readonly problem: ApiError | null
  readonly isPending: boolean
  /** The error of a field, by JSON Pointer; `exact`: not of what is in it. */
  errorOf(pointer: string, exact?: boolean): string | undefined
  /** Pointers of the fields that show their errors. */
  readonly shown: Set<string>
  readonly preview: ApiError | null | undefined
}

const FormContext = createContext<FormState>({
  problem: null,
  isPending: false,
  errorOf: () => undefined,
  shown: new Set(),
  preview: undefined,
})

export interface FormProps<Result> extends Outcome<Result> {
  /** Sends the fields to the service. */
  send(): Promise<Result>
  /** Error codes that are about one field, with its pointer: a name that is taken. */
  readonly codes?: Readonly<Record<string, string>>
  /** What a preview of the same fields refuses. Fields show it, and an edit clears what sending refused. */
  readonly preview?: ApiError | null
  readonly className?: string
  readonly children: ReactNode
}

/** Fields, and a `FormEnd` that sends them. What the service refuses is shown at the fields, or else at the end. */
export function Form<Result>({ send, codes, preview, className, children, ...outcome }: FormProps<Result>) {
  const sending = useSilentAction(send, outcome)
  const [shown] = useState(() => new Set<string>())
  const problem = sending.error === null ? null : asApiError(sending.error)
  const errorOf = (pointer: string, exact = false) =>
    problem !== null && codes?.[problem.code] === pointer ? problem.message : problem?.of(pointer, exact)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    sending.mutate()
  }
  return (
    <FormContext value={{ problem, isPending: sending.isPending, errorOf, shown, preview }}>
      <form
        noValidate
        onSubmit={submit}
        {...(preview === undefined ? {} : { onChange: () => sending.reset() })}
        className={className ?? 'space-y-4'}
      >
        {children}
      </form>
    </FormContext>
  )
}

/** The error of a field of the form, which the caller shows. */
export function useFieldError(pointer: string | undefined, exact = false): string | undefined {
  const { errorOf, preview, shown } = useContext(FormContext)
  useEffect(() => {
    if (pointer === undefined) return
    shown.add(pointer)
    return () => void shown.delete(pointer)
  }, [pointer, shown])
  return pointer === undefined ? undefined : (errorOf(pointer, exact) ?? preview?.of(pointer, exact))
}

interface FormEndProps {
  /** The label of the button that sends the form. */
  readonly submit: string
  readonly disabled?: boolean
  onCancel?(): void
  /** More buttons. */
  readonly children?: ReactNode
}

export function FormEnd({ submit, disabled = false, onCancel, children }: FormEndProps) {
  const { problem, isPending, errorOf, shown } = useContext(FormContext)
  const isShown = [...shown].some((pointer) => errorOf(pointer) !== undefined)
  return (
    <>
      {!isShown && <ErrorText error={problem} />}
      <div className="flex flex-wrap justify-end gap-2">
        {children}
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" variant="primary" disabled={isPending || disabled}>
          {submit}
        </Button>
      </div>
    </>
  )
}

export interface FormModalProps<Result> extends FormProps<Result> {
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
