export const SORTS = ['created_at', 'duration_ms', 'total_tokens', 'cost_usd', 'step_count'] as const
/** What the list may be sorted by. */
export type Sort = (typeof SORTS)[number]
