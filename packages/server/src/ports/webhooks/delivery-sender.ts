import type { AttemptErrorCode, AttemptResponse } from './delivery.ts'

export interface DeliveryRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

export interface SendOutcome {
  /** Null if none came. */
  readonly response: AttemptResponse | null
  readonly error: { readonly code: AttemptErrorCode; readonly detail: string } | null
}

/** Sends requests to receivers, at allowed addresses only. */
export interface DeliverySender {
  /** Never rejects. Ends within 15 s, or at once with `interrupted` if `signal` aborts. Follows no redirect. */
  send(request: DeliveryRequest, signal: AbortSignal): Promise<SendOutcome>
  /** Interrupts sends and closes all connections. */
  close(): Promise<void>
}
