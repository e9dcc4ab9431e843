/**
 * Something that only whoever runs the service can mend: bad configuration, a data directory that cannot be used. The message says what is wrong and
 * what to do, and is shown without a stack. Never the answer to a request.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
