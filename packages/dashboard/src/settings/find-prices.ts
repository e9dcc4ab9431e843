import type { Price } from '@spoor/contract/schemas/price'

export type PriceSource = 'all' | Price['source']

/** Prices whose model contains every word of the text, in any letter case. */
export function findPrices(prices: readonly Price[], text: string, source: PriceSource): readonly Price[] {
  const words = text.toLowerCase().split(/\s+/)
  return prices.filter(
    (price) =>
      (source === 'all' || price.source === source) && words.every((word) => price.model.toLowerCase().includes(word)),
  )
}

/** A typed rate: null if empty. Invalid text is sent unchanged, and the service reports the field. */
export function readRate(text: string): number | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const value = Number(trimmed.replace(/^\$/, ''))
  return Number.isFinite(value) ? value : (trimmed as unknown as number)
}

/** US dollars per million tokens: "$2.50", "$0.075". */
export function formatRate(usd: number): string {
  const digits = String(usd)
  const decimals = digits.includes('e') ? '' : (digits.split('.')[1] ?? '')
  return `$${decimals.length > 2 || digits.includes('e') ? digits : usd.toFixed(2)}`
}
