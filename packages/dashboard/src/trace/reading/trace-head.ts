import type { Trace } from '@spoor/contract/schemas/traces/trace'
import { mayBeRewritten, parseExactJson } from '../../lib/exact-json.ts'

/** What follows the steps in the answer. */
type Late = 'metric_events' | 'cost_usd' | 'unpriced_models'

/** A trace without its steps. What the service says behind them is missing until all have come. */
export type TraceHead = Omit<Trace, 'steps' | Late> &
  Partial<Pick<Trace, Late>> & {
    /** The same as JSON text, where its numbers may have other digits than those of JavaScript. */
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
