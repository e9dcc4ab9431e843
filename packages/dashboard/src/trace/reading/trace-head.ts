import type { Trace } from '@spoor/contract/schemas/traces/trace'
import { mayBeRewritten, parseExactJson } from '@spoor/payloads/exact-json'

/** Fields that follow the steps in the response. */
type Late = 'metric_events' | 'cost_usd' | 'unpriced_models'

/** A trace without its steps. Fields after the steps are missing until these are complete. */
export type TraceHead = Omit<Trace, 'steps' | Late> &
  Partial<Pick<Trace, Late>> & {
    /** The JSON text, if its numbers have digits that JavaScript would change. */
    readonly exactText?: string
  }

export function readTraceHead(text: string): TraceHead {
  const head = JSON.parse(text) as TraceHead
  return mayBeRewritten(text) ? { ...head, exactText: text } : head
}

/** For JsonView. */
export function metadataOf({ metadata, exactText }: TraceHead): TraceHead['metadata'] {
  return exactText === undefined ? metadata : (parseExactJson(exactText) as TraceHead).metadata
}
