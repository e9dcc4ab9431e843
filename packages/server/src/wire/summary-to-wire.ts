import { dollarsOf } from '../ports/prices/price.ts'
import type { TraceSummary } from '../ports/traces/trace-summaries.ts'
import { UNKNOWN_DURATION } from '../ports/traces/trace-store.ts'
import { totalTokens } from '../traces/rules/rollup.ts'
import { toWireCost, toWireTime } from './to-wire.ts'

export function toTraceSession(summary: TraceSummary) {
  return { session_id: summary.value, ...head(summary), user_ids: summary.userIds, ...tail(summary) }
}

export function toTraceUser(summary: TraceSummary) {
  return { user_id: summary.value, ...head(summary), session_count: summary.sessionCount, ...tail(summary) }
}

function head({ firstAt, lastAt, traceCount, stepCount, errorCount }: TraceSummary) {
  return {
    first_at: toWireTime(firstAt),
    last_at: toWireTime(lastAt),
    trace_count: traceCount,
    step_count: stepCount,
    error_count: errorCount,
  }
}

function tail({ tokenUsage, costKey, meanDurationMs }: TraceSummary) {
  const { input, output, cacheRead, cacheWrite, reasoning } = tokenUsage
  return {
    token_usage: {
      input,
      output,
      total: totalTokens(tokenUsage),
      cache_read: cacheRead,
      cache_write: cacheWrite,
      reasoning,
    },
    cost_usd: toWireCost(dollarsOf(costKey)),
    mean_duration_ms: meanDurationMs === UNKNOWN_DURATION ? null : meanDurationMs,
  }
}
