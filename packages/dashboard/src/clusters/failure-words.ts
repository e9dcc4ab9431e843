import { parseFailureMeasure } from '@spoor/contract/failure-measure'

/** Which traces count as failed, in a few words: "status error", "metadata reward = 0". */
export function failureInWords(failureBy: string): string {
  const measure = parseFailureMeasure(failureBy)
  if (measure === null) return failureBy
  if (measure.kind === 'status') return 'status error'
  if (measure.kind === 'metric') return `metric ${measure.name} not passed`
  return `metadata ${measure.key} = ${measure.value}`
}
