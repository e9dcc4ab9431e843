import type { AttemptErrorCode } from '../ports/webhooks/delivery.ts'

/** Why there is no connection. `message` is shown to whoever owns the subscription: nothing of the network around the service in it. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly attemptCode: AttemptErrorCode

  constructor(attemptCode: AttemptErrorCode, message: string) {
    super(message)
    this.attemptCode = attemptCode
  }
}
