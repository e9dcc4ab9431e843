import type { ErrorCode, FieldError } from '@spoor/contract/errors'

/** An error that the caller can act on. It has a code of the catalogue and data, but no HTTP status. */
export class DomainError extends Error {
  override readonly name = 'DomainError'
  readonly code: ErrorCode
  readonly errors: readonly FieldError[]
  /** Seconds after which a retry may succeed, for codes that mean "not now". */
  readonly retryAfterSeconds: number | null

  constructor(
    code: ErrorCode,
    detail: string,
    options: { errors?: readonly FieldError[]; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.errors = options.errors ?? []
    this.retryAfterSeconds = options.retryAfterSeconds ?? null
  }

  get detail(): string {
    return this.message
  }
}
