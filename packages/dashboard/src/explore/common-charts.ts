import type { ChartSearch } from '../lib/chart-search.ts'
import { NO_RANGE } from '../lib/time-range.ts'

interface CommonChart {
  readonly label: string
  readonly chart: ChartSearch
  /** If its time is part of the question. */
  readonly time?: { readonly range: '30d'; readonly from: undefined; readonly to: undefined }
}

/** Questions that are asked most; each replaces the chart and keeps the filters. */
export const COMMON_CHARTS: readonly CommonChart[] = [
  { label: 'Failures by error type', chart: { measure: 'error_rate', stat: 'errors', group_by: 'error_type' } },
  { label: 'Cost by model', chart: { measure: 'cost_usd', group_by: 'model' } },
  {
    label: 'Cost by user, 30 days',
    chart: { measure: 'cost_usd', group_by: 'user_id' },
    time: { ...NO_RANGE, range: '30d' },
  },
  { label: 'Duration by step type', chart: { measure: 'steps.duration_ms', group_by: 'step_type' } },
  { label: 'Slowest tools', chart: { measure: 'steps.duration_ms', group_by: 'tool' } },
  { label: 'Errors by tool', chart: { measure: 'steps.error_rate', group_by: 'tool' } },
  { label: 'Tokens by step', chart: { measure: 'steps.total_tokens', group_by: 'step_name' } },
]
