import type { DeliveryId, EventId, ProjectId, WebhookId } from '@spoor/contract/ids'
import type { DeliveredEventType } from '@spoor/contract/events'

/** `failed`: given up, see `FailureReason`. `cancelled`: its subscription was deleted before it succeeded. */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'cancelled'

/**
 * Why a delivery was given up.
 *
 * - `attempts_exhausted`: all attempts of the schedule failed. A ping has one.
 * - `expired`: 24 hours passed since its first attempt failed, or since it was due while its subscription was disabled.
 *   While the subscription is enabled, an untried delivery does not expire.
 * - `gone`: the receiver answered `410`.
 * - `trace_deleted`: its trace was deleted, and its body too.
 */
export type FailureReason = 'attempts_exhausted' | 'expired' | 'gone' | 'trace_deleted'

/** Why an attempt got no complete answer. The `detail` of the attempt explains it. */
export type AttemptErrorCode =
  | 'address_refused'
  | 'dns_failed'
  | 'connection_refused'
  | 'connection_failed'
  | 'tls_failed'
  | 'timeout'
  | 'bad_response'
  | 'interrupted'

export interface AttemptResponse {
  readonly status: number
  /** Names in lower case, as received; at most 64 headers of 1,024 characters. */
  readonly headers: Readonly<Record<string, string>>
  /** At most the first 16 KiB, as UTF-8 with replacement characters. */
  readonly body: string
  /** Whether the receiver sent more than `body`. */
  readonly truncated: boolean
}

/** An ended attempt. Times in milliseconds. */
export interface Attempt {
  /** From 1; redeliveries continue the count. */
  readonly number: number
  readonly startedAt: number
  readonly durationMs: number
  /** The url and headers of the request. */
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly response: AttemptResponse | null
  /** Null if the response is complete. A response whose body broke off has an error too. */
  readonly error: { readonly code: AttemptErrorCode; readonly detail: string } | null
}

/** The position of a delivery in its schedule of attempts. A redelivery begins a new schedule. */
export interface DeliverySchedule {
  /**
   * When the first attempt of this schedule failed; before that, when it was due. The delivery expires 24 hours after
   * the failure.
   */
  readonly startedAt: number
  /** Completed steps of the schedule: 0 before the first attempt. */
  readonly step: number
  /** End of the step, if `Retry-After` caused an earlier attempt at `nextAttemptAt`; otherwise null. */
  readonly stepDueAt: number | null
}

export interface Delivery {
  readonly id: DeliveryId
  readonly webhookId: WebhookId
  readonly projectId: ProjectId
  readonly eventId: EventId
  readonly eventType: DeliveredEventType
  readonly status: DeliveryStatus
  readonly reason: FailureReason | null
  readonly createdAt: number
  /** Ended attempts. */
  readonly attempts: number
  /** Of the last attempt: the status of the response, and the code of its error. */
  readonly lastResponseStatus: number | null
  readonly lastError: AttemptErrorCode | null
  readonly lastAttemptAt: number | null
  /** Null unless pending. */
  readonly nextAttemptAt: number | null
  /** When it succeeded, was given up or was cancelled. */
  readonly finishedAt: number | null
}

/** A delivery to attempt now. */
export interface DueDelivery extends Pick<Delivery, 'id' | 'webhookId' | 'eventId' | 'eventType' | 'attempts'> {
  /** The bytes that are sent and signed; they never change. */
  readonly body: Uint8Array
  readonly schedule: DeliverySchedule
}

/** The state of a delivery after an attempt. */
export type AfterAttempt =
  | { readonly status: 'succeeded' }
  | { readonly status: 'pending'; readonly nextAttemptAt: number; readonly schedule: DeliverySchedule }
  | { readonly status: 'failed'; readonly reason: FailureReason }
  | { readonly status: 'cancelled' }

export interface FinishedAttempt {
  readonly delivery: DueDelivery
  readonly attempt: Attempt
  readonly after: AfterAttempt
}
