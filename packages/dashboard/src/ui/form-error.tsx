import type { ApiError } from '../api/client/api-error.ts'

interface FormErrorProps {
  readonly problem: ApiError | null
  /** Pointers of the fields that show their own errors. */
  readonly fields: readonly string[]
}

/** The form's errors that no field shows. */
export function FormError({ problem, fields }: FormErrorProps) {
  if (problem === null || fields.some((pointer) => problem.of(pointer) !== undefined)) return null
  return (
    <p role="alert" className="text-fail text-sm break-words">
      {problem.message}
    </p>
  )
}
