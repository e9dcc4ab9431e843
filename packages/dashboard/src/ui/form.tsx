import { createContext, type ReactNode, type SubmitEvent, useContext, useEffect, useState } from 'react'
import { type ApiError, asApiError } from '../api/client/api-error.ts'
import { Button } from './button.tsx'
import { ErrorText } from './error-text.tsx'
import { type Outcome, useSilentAction } from './use-action.ts'

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
  readonly danger?: boolean
  onCancel?(): void
  /** More buttons. */
  readonly children?: ReactNode
}

/** The error that no field shows, and the buttons. */
export function FormEnd({ submit, disabled = false, danger = false, onCancel, children }: FormEndProps) {
  const { problem, isPending, errorOf, shown } = useContext(FormContext)
  const isShown = [...shown].some((pointer) => errorOf(pointer) !== undefined)
  return (
    <>
      {!isShown && <ErrorText error={problem} />}
      <div className="flex flex-wrap justify-end gap-2">
        {children}
        {onCancel !== undefined && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" variant={danger ? 'danger' : 'primary'} disabled={isPending || disabled}>
          {submit}
        </Button>
      </div>
    </>
  )
}
