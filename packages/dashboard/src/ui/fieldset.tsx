import { type ReactNode, useId } from 'react'
import { ErrorText } from './error-text.tsx'
import { useFieldError } from './form.tsx'

interface FieldsetProps {
  readonly legend: string
  /** JSON Pointer in the body of its form; the errors of the service for it are shown here. */
  readonly at?: string
  /** Its parts show their own errors. */
  readonly exact?: boolean
  readonly className?: string
  readonly children: ReactNode
}

/** Choices that belong together, and their error. */
export function Fieldset({ legend, at, exact = false, className = '', children }: FieldsetProps) {
  const id = useId()
  const error = useFieldError(at, exact)
  return (
    <fieldset className={`min-w-0 space-y-2 ${className}`} {...(error === undefined ? {} : { 'aria-describedby': id })}>
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      {children}
      <ErrorText id={id} error={error} />
    </fieldset>
  )
}
