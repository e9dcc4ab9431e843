import { asApiError } from '../api/client/api-error.ts'

interface ErrorTextProps {
  /** Nothing is shown for null and undefined. */
  readonly error: unknown
  readonly id?: string
  readonly className?: string
}

export function ErrorText({ error, id, className = '' }: ErrorTextProps) {
  if (error === null || error === undefined) return null
  return (
    <p id={id} role="alert" className={`text-fail text-sm break-words ${className}`}>
      {asApiError(error).message}
    </p>
  )
}
