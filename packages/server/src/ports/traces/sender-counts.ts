import type { ProjectId } from '@spoor/contract/ids'
import type { TimeSpan } from '../../lib/time/time-buckets.ts'

/**
 * What a step lacks or left unread, or how it counts: `other` is its type; `billed` has tokens whose cost is a matter
 * of the price of its model. The others are kinds of advice. `type` and `content` may name an attribute.
 */
export interface StepMark {
  readonly kind: 'other' | 'billed' | 'type' | 'content' | 'tokens' | 'model' | 'arguments' | 'result' | 'text'
  readonly attribute: string | null
}

export interface StepSender {
  /** '' when it does not say so. */
  readonly scope: string
  readonly version: string
  readonly marks: readonly StepMark[]
}

/** Steps of one sender with the same marks. */
export interface SenderCount extends StepSender {
  /** '' for steps without a model. */
  readonly model: string
  readonly steps: number
}

/**
 * Steps of a project by sender, marks and model, most steps first. Each step counts once, by its latest version; steps
 * of deleted traces do not count. Time and memory are bounded, however many senders exist: `complete` is false if some
 * are left out.
 */
export interface SenderCountStore {
  /** By the creation time of the trace. */
  senderCounts(
    projectId: ProjectId,
    span: TimeSpan,
  ): Promise<{ readonly counts: readonly SenderCount[]; readonly complete: boolean }>
}

/** As a step is stored: steps with the same text are counted together. */
export function printSender({ scope, version, marks }: StepSender): string {
  return JSON.stringify([
    scope,
    version,
    ...marks.map(({ kind, attribute }) => [kind, ...(attribute === null ? [] : [attribute])]),
  ])
}

export function readSender(stored: string): StepSender {
  const [scope, version, ...marks] = JSON.parse(stored) as [string, string, ...[StepMark['kind'], string?][]]
  return { scope, version, marks: marks.map(([kind, attribute = null]) => ({ kind, attribute })) }
}
