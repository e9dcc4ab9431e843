/** The prices of one model's tokens, US dollars for a million. Never negative, always finite. */
export interface TokenRates {
  /** Input tokens that neither came from a cache nor went into one. */
  readonly input: number
  /** Output tokens, those spent on reasoning among them. */
  readonly output: number
  /** Input tokens read from a cache; null: as `input`. */
  readonly cacheRead: number | null
  /** Input tokens put into a cache; null: as `input`. */
  readonly cacheWrite: number | null
}

/** The sort key of what has no cost: less than every cost. */
export const UNKNOWN_COST = -1
/** Billionths of a US dollar. */
const PER_DOLLAR = 1_000_000_000

/** An amount in US dollars as a sort key: its billionths, rounded. */
export function dollarsKey(amount: number): number {
  const key = Math.floor(amount * PER_DOLLAR + 0.5)
  return Math.max(-Number.MAX_SAFE_INTEGER, Math.min(key, Number.MAX_SAFE_INTEGER))
}

/** The amount in US dollars of a sort key; null if it is unknown. */
export function dollarsOf(key: number): number | null {
  return key === UNKNOWN_COST ? null : key / PER_DOLLAR
}

/** `input` includes cached tokens; it may count fewer if some of it has a special rate. */
export interface TokensOfModel {
  /** As `pricedName`. */
  readonly model: string
  readonly tokens: PricedTokens
}

/** The name by which tokens are summed: that of the model, and after a line feed the special rate that they have. */
export function pricedName(model: string, rate: string): string {
  const name = model.replaceAll('\n', ' ')
  return rate === '' ? name : `${name}\n${rate}`
}

/** The model and rate of a priced name. */
export function modelOfPriced(name: string): { readonly model: string; readonly rate: string } {
  const at = name.lastIndexOf('\n')
  return at === -1 ? { model: name, rate: '' } : { model: name.slice(0, at), rate: name.slice(at + 1) }
}

/** The rates of a project at one time. */
export interface ModelRates {
  /**
   * By priced name. Null when the model has no price. Special rates are: 'batch', 'audio', 'image', '1h' (what is put
   * into a cache for an hour), '>200000' (calls with more input tokens than that), 'batch>200000'. A model that has no
   * such rates, and every own price, has its one price for all. 'sent' is what the sender said, for any model: as many
   * input tokens as billionths of a US dollar.
   */
  of(name: string): TokenRates | null
  /**
   * What these tokens cost as a sort key (`dollarsKey`), at most the greatest safe integer; UNKNOWN_COST when they are
   * unknown or none has a price.
   */
  costKey(usage: readonly TokensOfModel[] | null): number
  /** Another one after each change of a price. */
  readonly fingerprint: string
}

/** A price that a project set for itself. */
export interface OwnPrice extends TokenRates {
  readonly model: string
  /** Milliseconds since 1970 UTC. */
  readonly updatedAt: number
}

/** A price as it is shown: the project's own, or one of the built-in list. */
export interface Price extends TokenRates {
  readonly model: string
  readonly source: 'builtin' | 'project'
  /** The day of the built-in list, `YYYY-MM-DD`; null for a project's own price. */
  readonly effectiveDate: string | null
  /** When the project set it, milliseconds since 1970 UTC; null for a built-in price. */
  readonly updatedAt: number | null
  /** Of a listed price, by name (`ModelRates.of`). */
  readonly special: ReadonlyMap<string, TokenRates>
  /** Above so many input tokens, a listed price has special rates; null when it has none. */
  readonly contextLimit: number | null
}

/** Tokens of one call or the sum of many. `input` includes cached tokens, `output` reasoning. */
export interface PricedTokens {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** The cost of the tokens with that model and rate, US dollars; null if the model has no price. */
export type Pricer = (model: string, tokens: PricedTokens, rate?: string) => number | null
