import { METRIC_NAME_LENGTH, NAME_LENGTH } from './limits.ts'

/** By what a trace counts as failed. */
export type FailureMeasure =
  /** Its status is `error`. */
  | { readonly kind: 'status' }
  /** The latest event of the boolean metric did not pass. */
  | { readonly kind: 'metric'; readonly name: string }
  /** Its metadata has the value, in the form of the filters of lists. */
  | { readonly kind: 'metadata'; readonly key: string; readonly value: string }

export const FAILURE_BY_LENGTH = 2 * NAME_LENGTH
export const DEFAULT_FAILURE_BY = 'status'

const METRIC = 'metric:'
const METADATA = 'metadata:'

/** Reads `status`, `metric:NAME` or `metadata:KEY=VALUE`; the first `=` ends the key. Null for any other text. */
export function parseFailureMeasure(text: string): FailureMeasure | null {
  if (text === DEFAULT_FAILURE_BY) return { kind: 'status' }
  if (text.startsWith(METRIC)) {
    const name = text.slice(METRIC.length)
    return name === '' || name.length > METRIC_NAME_LENGTH ? null : { kind: 'metric', name }
  }
  const [key, value] = text.startsWith(METADATA) ? split(text.slice(METADATA.length)) : []
  return key === undefined || value === undefined || key === '' ? null : { kind: 'metadata', key, value }
}

function split(pair: string): readonly string[] {
  const at = pair.indexOf('=')
  return at < 0 ? [] : [pair.slice(0, at), pair.slice(at + 1)]
}
