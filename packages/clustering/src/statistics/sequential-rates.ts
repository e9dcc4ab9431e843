/** Blocks of this many earlier runs and one later run, and the share of the evidence that each design gives. */
const DESIGNS = [
  { earlier: 1, share: 0.85 },
  { earlier: 4, share: 0.15 },
] as const

/**
 * Odds ratios, as logarithms, and how much is expected of each: mostly differences of about ten points. Ratios that are
 * not here are found too, with more runs.
 */
const LOG_ODDS_RATIOS = [
  [0.25, 0.05],
  [0.45, 0.3],
  [0.6, 0.3],
  [0.85, 0.2],
  [1.3, 0.1],
  [2.5, 0.05],
] as const

/**
 * Evidence that the later of two streams of outcomes fails more often, as an e-value: if it does not, the probability
 * that the evidence ever reaches E, however often it is computed while both streams grow, is at most 1/E (Ville's
 * inequality). Outcomes are true for failures, in an order that does not depend on them.
 *
 * The n-th outcomes of both streams are a pair, and only pairs that differ count, which needs no rate: A. Wald,
 * Sequential Analysis (1947), chapter 6, double dichotomies. Instead of one alternative it has a mixture: H. Robbins,
 * Statistical methods related to the law of the iterated logarithm (1970). Blocks of four earlier outcomes and a later
 * one find more where the earlier stream is long.
 */
export function evidenceOfMoreFailures(earlier: readonly boolean[], later: readonly boolean[]): number {
  let evidence = 0
  for (const design of DESIGNS) evidence += design.share * evidenceOfBlocks(earlier, later, design.earlier)
  return evidence
}

function evidenceOfBlocks(earlier: readonly boolean[], later: readonly boolean[], size: number): number {
  const blocks = Math.min(Math.floor(earlier.length / size), later.length)
  /** By failures of the block: how many blocks have as many, and in how many of these the later outcome is one. */
  const counts = Array.from({ length: size + 2 }, () => ({ blocks: 0, later: 0 }))
  for (let block = 0; block < blocks; block += 1) {
    const failed = later[block] === true ? 1 : 0
    let failures = failed
    for (let at = block * size; at < (block + 1) * size; at += 1) if (earlier[at] === true) failures += 1
    counts[failures]!.blocks += 1
    counts[failures]!.later += failed
  }
  let evidence = 0
  for (const [logRatio, weight] of LOG_ODDS_RATIOS) {
    const ratio = Math.exp(logRatio)
    let log = 0
    for (const [failures, of] of counts.entries()) {
      // The later outcome is one of the failures of a block with this probability; without a difference, ratio is 1.
      log += of.later * logRatio - of.blocks * Math.log((ratio * failures + size + 1 - failures) / (size + 1))
    }
    evidence += weight * Math.exp(Math.min(log, MOST_LOG))
  }
  return evidence
}

/** Larger evidence is not distinguished. */
const MOST_LOG = 50
