import type { PricedTokens, TokenRates } from '../ports/prices/price.ts'

const PER = 1_000_000

/**
 * What these tokens cost, US dollars:
 *
 *     ((input − cacheRead − cacheWrite, at least 0) · input rate + cacheRead · its rate + cacheWrite · its rate +
 *   output · output rate) / 1,000,000
 *
 * Each token is billed once: cached ones are part of `input` and are subtracted from it before they are billed as
 * cached. If a client reports more cached tokens than input, those are billed as cached, and nothing as fresh. Without
 * a rate of their own, cached tokens cost the same as fresh ones. Double precision, never rounded here; never negative.
 * Linear in the tokens as long as they are consistent.
 */
export function costOf(rates: TokenRates, { input, output, cacheRead, cacheWrite }: PricedTokens): number {
  const fresh = Math.max(0, input - cacheRead - cacheWrite)
  const billed =
    fresh * rates.input +
    cacheRead * (rates.cacheRead ?? rates.input) +
    cacheWrite * (rates.cacheWrite ?? rates.input) +
    output * rates.output
  return billed / PER
}
