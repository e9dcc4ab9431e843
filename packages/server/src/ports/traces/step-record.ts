import type { StepId } from '@spoor/contract/ids'
import type { StepUsage } from './trace-record.ts'

/** One stored step. Times are milliseconds since 1970 UTC; `null` is unknown. */
export interface StepRecord {
  readonly id: StepId
  /** Arrival order in the trace, from 0, without holes. */
  readonly position: number
  readonly name: string
  readonly type: string
  readonly model: string | null
  readonly status: 'ok' | 'error'
  readonly startedAt: number | null
  readonly endedAt: number | null
  /** When the service committed it. */
  readonly receivedAt: number
  readonly parentStepId: StepId | null
  readonly parentInferred: boolean
  readonly tokenUsage: StepUsage
  readonly idempotencyKey: string | null
  /** Raw JSON object of the client's own `messages`, `token_usage`, `metadata`, `error`: see prepared.ts. */
  readonly body: string
}

/** A step without its body, as its trace counts it. */
export type StepHead = Omit<StepRecord, 'body'>
