import {
  createContext,
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useContext,
  useId,
} from 'react'
import { ErrorText } from './error-text.tsx'
import { useFieldError } from './form.tsx'

const CONTROL =
  'bg-ground h-8 w-full rounded-md border border-line-strong px-2.5 text-sm placeholder:text-muted aria-invalid:border-fail disabled:opacity-50'

interface ControlProps {
  readonly id?: string
  readonly 'aria-invalid'?: true
  readonly 'aria-describedby'?: string
}

const FieldControl = createContext<ControlProps>({})

/** What links a control to its field. A control with a label of its own is not the one that the field names. */
function useControl(props: { readonly 'aria-label'?: string | undefined }): ControlProps {
  const control = useContext(FieldControl)
  return props['aria-label'] === undefined ? control : {}
}

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  /** JSON Pointer in the body of its form; the errors of the service for it are shown here. */
  readonly at?: string
  /** Shown instead of the error of the service. */
  readonly error?: string | undefined
  /** As in a toolbar: a small label. */
  readonly small?: boolean
  /** The control; any others beside it have an `aria-label`. */
  readonly children: ReactNode
}

export function Field({ label, hint, at, error: known, small = false, children }: FieldProps) {
  const id = useId()
  const sent = useFieldError(at)
  const error = known ?? sent
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div className={small ? 'min-w-32' : 'space-y-1'}>
      <label htmlFor={id} className={`block ${small ? 'text-muted pb-0.5 text-xs' : 'text-sm font-medium'}`}>
        {label}
      </label>
      <FieldControl
        value={{
          id,
          ...(error === undefined ? {} : { 'aria-invalid': true }),
          ...(described === '' ? {} : { 'aria-describedby': described }),
        }}
      >
        {children}
      </FieldControl>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="text-muted text-xs">
          {hint}
        </p>
      )}
      <ErrorText id={`${id}-error`} error={error} />
    </div>
  )
}

type WithText<Attributes> = Omit<Attributes, 'onChange'> & { onText?(text: string): void }

export function Input({
  className = '',
  onText,
  ...rest
}: WithText<InputHTMLAttributes<HTMLInputElement>> & { ref?: Ref<HTMLInputElement> }) {
  const control = useControl(rest)
  return (
    <input
      className={`${CONTROL} ${className}`}
      {...control}
      {...rest}
      onChange={({ target }) => onText?.(target.value)}
    />
  )
}

export function Textarea({ onText, ...rest }: WithText<TextareaHTMLAttributes<HTMLTextAreaElement>>) {
  const control = useControl(rest)
  return (
    <textarea
      className={`${CONTROL} h-auto min-h-20 py-1.5`}
      {...control}
      {...rest}
      onChange={({ target }) => onText?.(target.value)}
    />
  )
}

/** A value that is its own label, or with a label; the third part disables it. */
type Option<Value extends string> = Value | readonly [value: Value, label: string, disabled?: boolean]

interface SelectProps<Value extends string> extends Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> {
  readonly value: Value
  /** In order, or labels by value. */
  readonly options: readonly Option<NoInfer<Value>>[] | Readonly<Record<NoInfer<Value>, string>>
  onChoice(value: NoInfer<Value>): void
}

/** The browser's own control: it works with every keyboard, screen reader and phone. */
export function Select<Value extends string>({ className = '', options, onChoice, ...rest }: SelectProps<Value>) {
  const control = useControl(rest)
  const list = (Array.isArray(options) ? options : Object.entries(options)) as readonly Option<Value>[]
  return (
    <select
      className={`${CONTROL} pr-7 ${className}`}
      {...control}
      {...rest}
      onChange={({ target }) => onChoice(target.value as Value)}
    >
      {list.map((option) => {
        const [value, label, disabled] = typeof option === 'string' ? ([option, option] as const) : option
        return (
          <option key={value} value={value} disabled={disabled}>
            {label}
          </option>
        )
      })}
    </select>
  )
}

interface FieldsetProps {
  readonly legend: string
  /** JSON Pointer in the body of its form; the errors of the service for it are shown here. */
  readonly at?: string
  /** Its parts show their own errors. */
  readonly exact?: boolean
  readonly children: ReactNode
}

export function Fieldset({ legend, at, exact = false, children }: FieldsetProps) {
  const id = useId()
  const error = useFieldError(at, exact)
  return (
    <fieldset className="min-w-0 space-y-2" {...(error === undefined ? {} : { 'aria-describedby': id })}>
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      {children}
      <ErrorText id={id} error={error} />
    </fieldset>
  )
}
