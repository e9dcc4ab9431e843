import { asApiError } from '../api/client/api-error.ts'

/** `error`: nothing is shown for null and undefined. */
export function ErrorText({ error, id, className = '' }: { error: unknown; id?: string; className?: string }) {
  if (error === null || error === undefined) return null
  return (
    <p id={id} role="alert" className={`text-fail text-sm break-words ${className}`}>
      {asApiError(error).message}
    </p>
  )
}
