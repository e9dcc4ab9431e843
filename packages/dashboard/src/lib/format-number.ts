const WHOLE = new Intl.NumberFormat('en')
const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const CENTS = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
const DECIMAL = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })

/** All digits, grouped: "12,345". */
export function formatCount(count: number): string {
  return WHOLE.format(count)
}

/** "1 step", "1,200 steps". */
export function formatSteps(count: number): string {
  return `${formatCount(count)} ${count === 1 ? 'step' : 'steps'}`
}

/** The same of traces, and of others of this kind. */
export function formatTraces(count: number, kind = ''): string {
  return `${formatCount(count)} ${kind}${count === 1 ? 'trace' : 'traces'}`
}

/** About four characters: "12.3K". */
export function formatCompact(count: number): string {
  return COMPACT.format(count)
}

/** Four significant digits. */
export function formatValue(value: number): string {
  return DECIMAL.format(value)
}

/** A share from 0 to 1: "41.3%". */
export function formatShare(share: number): string {
  const percent = share * 100
  return `${percent === 0 || percent >= 10 ? Number(percent.toFixed(1)) : Number(percent.toPrecision(2))}%`
}

/** US dollars with two significant digits, and at least cents: "$2.27", "$0.20", "$0.0031", "$0.00000072". */
export function formatCost(usd: number): string {
  if (usd === 0) return '$0'
  if (usd >= 1) return `$${CENTS.format(usd)}`
  // Sums of the same costs in another order differ in the last bits, which must not change a digit.
  const rounded = Number(Number(usd.toPrecision(12)).toPrecision(2))
  return `$${rounded.toFixed(Math.min(20, Math.max(2, 1 - Math.floor(Math.log10(rounded)))))}`
}

/** US dollars to a trillionth: "$12.345678". */
export function formatCostExact(usd: number): string {
  return `$${usd.toFixed(12).replace(/\.?0+$/, '')}`
}

const LEAST_SHORT_COST = 0.0001

/** US dollars with digits that align in columns: "$1.7100", "$0.0007", "<$0.0001"; from $100 on, cents. */
export function formatCostShort(usd: number): string {
  if (usd === 0 || usd >= 100) return formatCost(usd)
  return usd < LEAST_SHORT_COST ? `<$${LEAST_SHORT_COST}` : `$${(Math.round(usd * 1e4) / 1e4).toFixed(4)}`
}

/** US dollars with at least cents, without further zeros: "$0.05", "$0.003". */
export function formatCostOnAxis(usd: number): string {
  return formatCost(usd).replace(/(\.\d\d+?)0+$/, '$1')
}

/** In powers of 1,024: "1.2 MiB". */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < 4) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][unit]}`
}

/** How many steps of a run failed although the run is ok. */
export function recoveredWords(count: number): string {
  return `${formatCount(count)} failed ${count === 1 ? 'step' : 'steps'}, recovered`
}
