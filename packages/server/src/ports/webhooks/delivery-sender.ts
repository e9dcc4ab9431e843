import type { AttemptErrorCode, AttemptResponse } from './delivery.ts'

export interface DeliveryRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface SendOutcome {
  /** Null when none came. */
  readonly response: AttemptResponse | null
  readonly error: { readonly code: AttemptErrorCode; readonly detail: string } | null
}

/** Carries a request to a receiver, through the guard over addresses. */
export interface DeliverySender {
  /** Never rejects. Ends within 15 s, whatever the receiver does, or at once with `interrupted` when `signal` aborts. Follows no redirect. */
  send(request: DeliveryRequest, signal: AbortSignal): Promise<SendOutcome>
  /** Lets go of connections; sends under way are interrupted. */
  close(): Promise<void>
}
