import type { PricedSummary } from '../traces/read/list-summaries.ts'
import { totalTokens } from '../traces/rules/rollup.ts'
import { toWireCost, toWireTime } from './to-wire.ts'

export function toTraceSession(summary: PricedSummary) {
  return { session_id: summary.value, ...head(summary), user_ids: summary.others.first, ...tail(summary) }
}

export function toTraceUser(summary: PricedSummary) {
  return { user_id: summary.value, ...head(summary), session_count: summary.others.count, ...tail(summary) }
}

function head({ firstAt, lastAt, traceCount, stepCount, errorCount }: PricedSummary) {
  return {
    first_at: toWireTime(firstAt),
    last_at: toWireTime(lastAt),
    trace_count: traceCount,
    step_count: stepCount,
    error_count: errorCount,
  }
}

function tail({ tokenUsage, costUsd }: PricedSummary) {
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
    cost_usd: toWireCost(costUsd),
  }
}
