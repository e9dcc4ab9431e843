import type { Known } from './log.ts'

/** The log of a store that has nothing yet. */
export const NOTHING_KNOWN: Known = {
  traceKey: () => undefined,
  stepKey: () => undefined,
  metricEventKey: () => undefined,
  hasMedia: () => false,
  attachmentsOf: () => 0,
}
