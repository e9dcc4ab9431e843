import type { Trace } from '@spoor/contract/schemas/trace'

/** What follows the steps in the answer. */
type Late = 'metric_events' | 'cost_usd' | 'unpriced_models'

/** A trace without its steps. What the service says behind them is missing until all have come. */
export type TraceHead = Omit<Trace, 'steps' | Late> & Partial<Pick<Trace, Late>>
