import type { TokenRates } from '../ports/prices/price.ts'

/** The day on which this list was compiled: what providers published up to then. */
export const BUILTIN_PRICES_DATE = '2026-11-21'

/** The seller of the tokens. Open models have another price at each host, so a host is a vendor too. */
export type Vendor = 'openai' | 'anthropic' | 'google' | 'mistral' | 'xai' | 'groq'

export interface BuiltinPrice extends TokenRates {
  readonly model: string
  readonly vendor: Vendor
}

interface CacheRates {
  readonly read?: number
  /** Anthropic: entries that live for five minutes, its default. */
  readonly write?: number
}

/**
 * Standard rates of the vendors' own APIs, US dollars per million tokens of text. There is one rate for a model. What
 * depends on the hour, on a service tier or on the length of the prompt cannot be stated here, so the rate is that for
 * short prompts in the standard tier. A model whose ordinary price depends on more than that (DeepSeek by the hour of
 * day, Claude Haiku 5.5 from 100,000 tokens on) is left out. Rates are those of the vendors' pages where these could be
 * read, else of third parties' tables that agree; of Groq's models, and of cached input of older Grok models, gpt-5-pro
 * and gpt-5.2, only one such table was found. A missing cache rate was not published or not confirmed.
 *
 * To update: check every line at the vendor's page, and change the lines and the date above in one commit.
 */
export const BUILTIN_PRICES: readonly BuiltinPrice[] = [
  // developers.openai.com/api/docs/pricing
  price('openai', 'gpt-6.1-sol', 2, 10, { read: 0.1, write: 2.5 }),
  price('openai', 'gpt-6-sol', 2, 10, { read: 0.2, write: 2.5 }),
  price('openai', 'gpt-6-astra', 10, 50, { read: 1, write: 12.5 }),
  price('openai', 'gpt-5.5', 5, 30, { read: 0.5 }),
  price('openai', 'gpt-5.4', 2.5, 15, { read: 0.25 }),
  price('openai', 'gpt-5.4-mini', 0.75, 4.5, { read: 0.075 }),
  price('openai', 'gpt-5.2', 1.75, 14, { read: 0.175 }),
  price('openai', 'gpt-5.1', 1.25, 10, { read: 0.125 }),
  price('openai', 'gpt-5', 1.25, 10, { read: 0.125 }),
  price('openai', 'gpt-5-mini', 0.25, 2, { read: 0.025 }),
  price('openai', 'gpt-5-nano', 0.05, 0.4, { read: 0.005 }),
  price('openai', 'gpt-5-pro', 15, 120),
  price('openai', 'gpt-4.1', 2, 8, { read: 0.5 }),
  price('openai', 'gpt-4.1-mini', 0.4, 1.6, { read: 0.1 }),
  price('openai', 'gpt-4.1-nano', 0.1, 0.4, { read: 0.025 }),
  price('openai', 'gpt-4o', 2.5, 10, { read: 1.25 }),
  // The first snapshot kept its first price.
  price('openai', 'gpt-4o-2024-05-13', 5, 15),
  price('openai', 'gpt-4o-mini', 0.15, 0.6, { read: 0.075 }),
  price('openai', 'gpt-4-turbo', 10, 30),
  price('openai', 'gpt-4', 30, 60),
  price('openai', 'gpt-3.5-turbo', 0.5, 1.5),
  price('openai', 'o4-mini', 1.1, 4.4, { read: 0.275 }),
  price('openai', 'o3', 2, 8, { read: 0.5 }),
  price('openai', 'o3-mini', 1.1, 4.4, { read: 0.55 }),
  price('openai', 'o1', 15, 60, { read: 7.5 }),
  price('openai', 'text-embedding-3-large', 0.13, 0),
  price('openai', 'text-embedding-3-small', 0.02, 0),
  // platform.claude.com/docs/en/about-claude/pricing
  price('anthropic', 'claude-fable-5-1', 10, 50, { read: 0.25, write: 12.5 }),
  price('anthropic', 'claude-fable-5', 10, 50, { read: 1, write: 12.5 }),
  price('anthropic', 'claude-opus-5-5', 4, 20, { read: 0.2, write: 5 }),
  price('anthropic', 'claude-opus-5', 5, 25, { read: 0.5, write: 6.25 }),
  price('anthropic', 'claude-opus-4-8', 5, 25, { read: 0.5, write: 6.25 }),
  price('anthropic', 'claude-opus-4-7', 5, 25, { read: 0.5, write: 6.25 }),
  price('anthropic', 'claude-opus-4-6', 5, 25, { read: 0.5, write: 6.25 }),
  price('anthropic', 'claude-opus-4-5', 5, 25, { read: 0.5, write: 6.25 }),
  price('anthropic', 'claude-opus-4-1', 15, 75, { read: 1.5, write: 18.75 }),
  price('anthropic', 'claude-opus-4', 15, 75, { read: 1.5, write: 18.75 }),
  price('anthropic', 'claude-3-opus', 15, 75, { read: 1.5, write: 18.75 }),
  price('anthropic', 'claude-sonnet-5-5', 2, 10, { read: 0.2, write: 2.5 }),
  price('anthropic', 'claude-sonnet-5', 2, 10, { read: 0.2, write: 2.5 }),
  price('anthropic', 'claude-sonnet-4-6', 3, 15, { read: 0.3, write: 3.75 }),
  price('anthropic', 'claude-sonnet-4-5', 3, 15, { read: 0.3, write: 3.75 }),
  price('anthropic', 'claude-sonnet-4', 3, 15, { read: 0.3, write: 3.75 }),
  price('anthropic', 'claude-3-7-sonnet', 3, 15, { read: 0.3, write: 3.75 }),
  price('anthropic', 'claude-3-5-sonnet', 3, 15, { read: 0.3, write: 3.75 }),
  price('anthropic', 'claude-haiku-4-5', 1, 5, { read: 0.1, write: 1.25 }),
  price('anthropic', 'claude-3-5-haiku', 0.8, 4, { read: 0.08, write: 1 }),
  price('anthropic', 'claude-3-haiku', 0.25, 1.25, { read: 0.03, write: 0.3 }),
  // ai.google.dev/gemini-api/docs/pricing
  price('google', 'gemini-3.1-pro-preview', 2, 12, { read: 0.2 }),
  price('google', 'gemini-3-flash-preview', 0.5, 3, { read: 0.05 }),
  price('google', 'gemini-2.5-pro', 1.25, 10, { read: 0.125 }),
  price('google', 'gemini-2.5-flash', 0.3, 2.5, { read: 0.03 }),
  price('google', 'gemini-2.5-flash-lite', 0.1, 0.4, { read: 0.01 }),
  price('google', 'gemini-2.0-flash', 0.1, 0.4),
  // mistral.ai/pricing
  price('mistral', 'mistral-large-2512', 0.5, 1.5),
  price('mistral', 'mistral-large-2411', 2, 6),
  price('mistral', 'mistral-medium-2508', 0.4, 2),
  price('mistral', 'mistral-medium-2505', 0.4, 2),
  price('mistral', 'open-mistral-nemo', 0.15, 0.15),
  // docs.x.ai/developers/models
  price('xai', 'grok-4.5', 2, 6, { read: 0.5 }),
  price('xai', 'grok-4.3', 1.25, 2.5, { read: 0.2 }),
  price('xai', 'grok-4', 3, 15, { read: 0.75 }),
  price('xai', 'grok-4-1-fast', 0.2, 0.5),
  price('xai', 'grok-3', 3, 15, { read: 0.75 }),
  price('xai', 'grok-3-mini', 0.3, 0.5),
  // groq.com/pricing: Meta's models under names that only this host uses.
  price('groq', 'llama-3.3-70b-versatile', 0.59, 0.79),
  price('groq', 'llama-3.1-8b-instant', 0.05, 0.08),
]

/**
 * Other names of models of the list, as the vendors document them. Names that move on to newer models
 * (`mistral-large-latest`) are excluded.
 */
export const BUILTIN_ALIASES: Readonly<Record<string, string>> = {
  'claude-opus-4-0': 'claude-opus-4',
  'claude-sonnet-4-0': 'claude-sonnet-4',
  'claude-3-opus-latest': 'claude-3-opus',
  'claude-3-7-sonnet-latest': 'claude-3-7-sonnet',
  'claude-3-5-sonnet-latest': 'claude-3-5-sonnet',
  'claude-3-5-haiku-latest': 'claude-3-5-haiku',
  'gemini-2.0-flash-001': 'gemini-2.0-flash',
  'grok-4-0709': 'grok-4',
}

function price(vendor: Vendor, model: string, input: number, output: number, cache: CacheRates = {}): BuiltinPrice {
  return { vendor, model, input, output, cacheRead: cache.read ?? null, cacheWrite: cache.write ?? null }
}
