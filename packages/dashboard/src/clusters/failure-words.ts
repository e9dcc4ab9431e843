import type { FeedQuery } from '@spoor/contract/schemas/traces/feed-query'
import { parseFailureMeasure } from '@spoor/contract/failure-measure'

/** Which traces count as failed, in a few words: "status error", "metadata reward = 0". */
export function failureInWords(failureBy: string): string {
  const measure = parseFailureMeasure(failureBy)
  if (measure === null) return failureBy
  if (measure.kind === 'status') return 'status error'
  if (measure.kind === 'metric') return `metric ${measure.name} not passed`
  return `metadata ${measure.key} = ${measure.value}`
}

type Failed = Pick<FeedQuery, 'status' | 'metric' | 'passed' | 'meta_key' | 'meta_value'>

/** How the API and the list of traces find failed traces. */
export function failedIn(failureBy: string): { readonly filters: Failed; readonly search: object } {
  const measure = parseFailureMeasure(failureBy)
  if (measure?.kind === 'metadata') {
    const { key, value } = measure
    return { filters: { meta_key: [key], meta_value: [value] }, search: { meta: [[key, value]] } }
  }
  const filters: Failed = measure?.kind === 'metric' ? { metric: measure.name, passed: false } : { status: 'error' }
  return { filters, search: filters }
}
