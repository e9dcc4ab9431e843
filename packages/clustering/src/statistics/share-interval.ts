import type { Share } from './two-proportions.ts'

/** Standard errors of an interval of 95 %. */
const Z = 1.959964

/**
 * The interval of 95 % around a share, both ends from 0 to 1: E. B. Wilson, Probable inference, the law of succession,
 * and statistical inference (1927). From 0 to 1 if there is nothing to count.
 */
export function shareInterval({ hits, total }: Share): readonly [low: number, high: number] {
  if (total === 0) return [0, 1]
  const share = hits / total
  const middle = share + (Z * Z) / (2 * total)
  const half = Z * Math.sqrt((share * (1 - share) + (Z * Z) / (4 * total)) / total)
  const whole = 1 + (Z * Z) / total
  return [Math.max(0, (middle - half) / whole), Math.min(1, (middle + half) / whole)]
}
