import type { TraceComparison } from '@spoor/contract/schemas/traces/trace-comparison'
import type { ComparedPair, Comparison } from '../traces/compare/compare-traces.ts'
import { durationOf } from '../traces/rules/rollup.ts'
import type { TraceRecord } from '../ports/traces/trace-record.ts'
import { toTokenTotals, toWireCost } from './to-wire.ts'

export interface ComparedRow {
  /** JSON text. */
  readonly row: string
  /** US dollars. */
  readonly costUsd: number | null
}

/** A comparison as JSON text, with the rows of both traces. */
export function toComparison(
  { left, right, pairs }: Comparison,
  rows: { left: ComparedRow; right: ComparedRow },
): string {
  const first = pairs.findIndex(({ kind }) => kind !== 'same')
  const count = (wanted: ComparedPair['kind']) => pairs.filter(({ kind }) => kind === wanted).length
  const answer: Omit<TraceComparison, 'left' | 'right'> = {
    pairs: pairs.map((pair) => ({
      ...ends(pair),
      name: (pair.left ?? pair.right)!.name,
      left_position: pair.left?.position ?? null,
      right_position: pair.right?.position ?? null,
      differences: [...pair.differences],
      more_differences: pair.more,
      repeated_differences: pair.repeated,
    })),
    first_divergence: first === -1 ? null : { pair: first, ...ends(pairs[first]!) },
    totals: {
      same: count('same'),
      changed: count('changed'),
      only_left: count('only_left'),
      only_right: count('only_right'),
      left: toTotals(left, rows.left),
      right: toTotals(right, rows.right),
    },
  }
  return `{"left":${rows.left.row},"right":${rows.right.row},${JSON.stringify(answer).slice(1)}`
}

function ends({ kind, left, right }: ComparedPair) {
  return { kind, left_step_id: left?.id ?? null, right_step_id: right?.id ?? null }
}

function toTotals(trace: TraceRecord, { costUsd }: ComparedRow) {
  return {
    duration_ms: durationOf(trace),
    step_count: trace.stepCount,
    error_count: trace.failedSteps,
    token_usage: toTokenTotals(trace.tokenUsage),
    cost_usd: toWireCost(costUsd),
  }
}
