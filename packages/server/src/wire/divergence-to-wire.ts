import type { TraceDivergence } from '@spoor/contract/schemas/traces/trace-divergence'
import type { FoundDivergence } from '../traces/insight/find-divergence.ts'
import { sentenceOf } from '../traces/insight/divergence-sentence.ts'

export function toDivergence({ found, comparedWith }: FoundDivergence): TraceDivergence {
  const compared_with = [...comparedWith]
  if (typeof found === 'string') return { divergence: null, reason: found, compared_with }
  const { stepId, kind, successes, instead } = found
  const support = { successes, instead: [...instead] }
  return { divergence: { step_id: stepId, kind, sentence: sentenceOf(found), support }, reason: null, compared_with }
}
