/**
 * An error that only the operator can correct, such as bad configuration or an unusable data directory. The message
 * says what is wrong and what to do, and is shown without a stack. It is never the answer to a request.
 */
export class OperatorError extends Error {
  override readonly name = 'OperatorError'
}
