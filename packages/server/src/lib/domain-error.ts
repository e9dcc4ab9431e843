import type { ErrorCode, FieldError } from '@spoor/contract/errors'

/** An error that the caller can act on. It has a code of the catalogue and data, but no HTTP status. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  readonly errors: readonly FieldError[]
  /** Seconds after which a retry may succeed, for codes that mean "not now". */
  readonly retryAfterSeconds: number | null
  /** Whether the operation may have been done all the same, or may still be. */
  readonly isOutcomeUnknown: boolean

  constructor(
    code: ErrorCode,
    detail: string,
    options: {
      errors?: readonly FieldError[]
      retryAfterSeconds?: number
      isOutcomeUnknown?: boolean
      cause?: unknown
    } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.errors = options.errors ?? []
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
    this.isOutcomeUnknown = options.isOutcomeUnknown ?? false
  }

  get detail(): string {
    return this.message
  }
}

/** Throws any other error. */
export function refusalOf(error: unknown): DomainError {
  if (error instanceof DomainError) return error
  throw error
}
