/** Who recorded an event. */
export const SOURCE_LABELS = { human: 'Human', code: 'Code', llm: 'LLM' } as const
export const METRIC_SOURCES = Object.keys(SOURCE_LABELS) as (keyof typeof SOURCE_LABELS)[]
