import { BUILTIN_ALIASES, type Vendor } from './builtin-prices.ts'

/** One name of a model. */
export interface ModelName {
  readonly name: string
  /** The vendor that a prefix named; null when none did. */
  readonly vendor: Vendor | null
}

/** Prefixes that gateways and SDKs put before a model's name, by the vendor they stand for. */
const PREFIXES: Readonly<Record<string, Vendor>> = {
  'openai/': 'openai',
  'anthropic/': 'anthropic',
  'google/': 'google',
  'gemini/': 'google',
  'models/': 'google',
  'mistral/': 'mistral',
  'mistralai/': 'mistral',
  'xai/': 'xai',
  'x-ai/': 'xai',
  'groq/': 'groq',
}

/**
 * A whole date at the end: `-2024-08-06`, `-20250514`, `@20250514`. Four digits (`-0613`, `-2411`) are versions with
 * prices of their own.
 */
const DATE = /(-20[2-9]\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])|[-@]20[2-9]\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01]))$/

/**
 * The names under which a model may be priced, the most exact first: as it is, without its vendor's prefix, without the
 * date of its snapshot, without both; after each, the model that it is an alias of. Nothing else is removed, so no
 * model is mistaken for a related one: `gpt-4o-mini` is never `gpt-4o`. Never empty.
 */
export function namesOf(model: string): readonly ModelName[] {
  const names: ModelName[] = []
  for (const dated of [model, model.replace(DATE, '')]) {
    if (names.length > 0 && dated === model) break
    push(names, { name: dated, vendor: null })
    const slash = dated.indexOf('/') + 1
    const vendor = Object.hasOwn(PREFIXES, dated.slice(0, slash)) ? PREFIXES[dated.slice(0, slash)] : undefined
    if (vendor !== undefined) push(names, { name: dated.slice(slash), vendor })
  }
  return names
}

function push(names: ModelName[], { name, vendor }: ModelName): void {
  names.push({ name, vendor })
  const alias = Object.hasOwn(BUILTIN_ALIASES, name) ? BUILTIN_ALIASES[name] : undefined
  if (alias !== undefined) names.push({ name: alias, vendor })
}
