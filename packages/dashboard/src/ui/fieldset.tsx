import { type ReactNode, useId } from 'react'

interface FieldsetProps {
  readonly legend: string
  /** The error that the service reports for it. */
  readonly error?: string | undefined
  readonly children: ReactNode
}

/** Choices that belong together, and their error. */
export function Fieldset({ legend, error, children }: FieldsetProps) {
  const id = useId()
  return (
    <fieldset className="min-w-0 space-y-2" {...(error === undefined ? {} : { 'aria-describedby': id })}>
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      {children}
      {error !== undefined && (
        <p id={id} role="alert" className="text-fail text-sm break-words">
          {error}
        </p>
      )}
    </fieldset>
  )
}
