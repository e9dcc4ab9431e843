import type { DeliveryId, EventId, ProjectId, WebhookId } from '@spoor/contract/ids'
import type { DeliveredEventType } from '@spoor/contract/events'

/** `failed`: given up, see `FailureReason`. `cancelled`: its subscription was deleted before it succeeded. */
export type DeliveryStatus = 'pending' | 'succeeded' | 'failed' | 'cancelled'

/**
 * Why a delivery was given up: all attempts of the schedule failed; 24 hours passed since its first attempt failed, or since it became due while its subscription is disabled; the receiver answered `410`.
 * While its subscription is enabled none is given up that was not tried. A ping is tried once. `trace_deleted`: its trace was deleted, and its body with it.
 */
export type FailureReason = 'attempts_exhausted' | 'expired' | 'gone' | 'trace_deleted'

/** What an attempt met instead of an answer. `detail` of the attempt says more in words. */
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
  /** Whether the receiver sent more than is kept. */
  readonly truncated: boolean
}

/** One try to deliver, after it ended. Times in milliseconds. */
export interface Attempt {
  /** From 1, over all redeliveries. */
  readonly number: number
  readonly startedAt: number
  readonly durationMs: number
  /** The url as it was then, and the headers sent. */
  readonly url: string
  readonly requestHeaders: Readonly<Record<string, string>>
  readonly response: AttemptResponse | null
  /** Null exactly when `response` is there and a success or a plain failing status. A response broken off in its body has both. */
  readonly error: { readonly code: AttemptErrorCode; readonly detail: string } | null
}

/** Where a delivery stands on its schedule of attempts. Redelivery begins a new one. */
export interface DeliverySchedule {
  /** When the first attempt of this schedule failed, before that when it was due. 24 hours after the failure the delivery is given up. */
  readonly startedAt: number
  /** Steps of the schedule behind it: 0 before the first attempt. */
  readonly step: number
  /** When the step ends: later than `nextAttemptAt` where `Retry-After` asked for an attempt before; else null. */
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
  /** Attempts ended so far. */
  readonly attempts: number
  /** Of the last attempt: the status it was answered with, or the code of its error. */
  readonly lastResponseStatus: number | null
  readonly lastError: AttemptErrorCode | null
  readonly lastAttemptAt: number | null
  /** Null unless pending. */
  readonly nextAttemptAt: number | null
  /** When it succeeded, was given up or cancelled. */
  readonly finishedAt: number | null
}

/** A delivery that is to be attempted now. */
export interface DueDelivery {
  readonly id: DeliveryId
  readonly webhookId: WebhookId
  readonly eventId: EventId
  readonly eventType: DeliveredEventType
  /** The bytes that are sent and signed; never changed. */
  readonly body: Uint8Array
  readonly attempts: number
  readonly schedule: DeliverySchedule
}

/** What becomes of a delivery behind an attempt. */
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
