/** Who recorded an event. */
export const SOURCE_LABELS = { human: 'Human', code: 'Code', llm: 'LLM' } as const
