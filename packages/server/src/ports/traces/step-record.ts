import type { StepId } from '@spoor/contract/ids'
import type { StepUsage } from './trace-record.ts'
import type { PreparedStep } from './prepared.ts'

/** One stored step. Times are milliseconds since 1970 UTC; `null` is unknown. */
export interface StepRecord extends Pick<
  PreparedStep,
  'name' | 'type' | 'model' | 'startedAt' | 'endedAt' | 'parentStepId' | 'idempotencyKey'
> {
  readonly id: StepId
  /** Arrival order in the trace, from 0, without holes. */
  readonly position: number
  readonly status: 'ok' | 'error'
  /** When the service committed it. */
  readonly receivedAt: number
  readonly parentInferred: boolean
  readonly tokenUsage: StepUsage
  /** Raw JSON object of the client's own `messages`, `token_usage`, `metadata`, `error`: see prepared.ts. */
  readonly body: string
}

/** A step without its body, as its trace counts it. */
export type StepHead = Omit<StepRecord, 'body'>
