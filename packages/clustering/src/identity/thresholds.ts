/** What decides over the identity of clusters from run to run. Reasons for the numbers: docs/design/decisions. */
export interface IdentityThresholds {
  /** Weight of the Jaccard index against that of the centroids' cosine when clusters of two runs are paired. */
  readonly jaccardWeight: number
  /** An id is kept from this Jaccard index over traces that both runs saw … */
  readonly keptJaccard: number
  /** … when at least so many of them are in either cluster. */
  readonly leastCommonTraces: number
  /** With fewer, when the cosine of the centroids is this share of what two samples of one topic would have. */
  readonly keptLikeness: number
  /** A cluster that kept its id has shifted below this Jaccard index, */
  readonly shiftedJaccard: number
  /** or when its share of all traces changed by so much, */
  readonly shareDifference: number
  /** and to this much of what it was or, the other way, by as much more, */
  readonly shareRatio: number
  /** and by more standard errors than this. */
  readonly shareZ: number
  /** A part of another cluster's traces from which on it is told as where they went (split) or came from (merge). */
  readonly partnerShare: number
  /** A further cluster must gain this share of the objective, */
  readonly birthGain: number
  /** hold this share of the traces, */
  readonly birthShare: number
  /** and, where traces of the last run are too few to tell what is new, gain so many times what the last one gave away by not having it. */
  readonly birthGainRatio: number
  /** A centroid is dropped whose traces have a mean cosine below this share of what it was, */
  readonly emptiedCohesion: number
  /** and whose share of all traces fell to this share of what it was. */
  readonly emptiedShare: number
}

export const IDENTITY_THRESHOLDS: IdentityThresholds = {
  jaccardWeight: 0.5,
  keptJaccard: 0.5,
  leastCommonTraces: 20,
  keptLikeness: 0.8,
  shiftedJaccard: 0.7,
  shareDifference: 0.05,
  shareRatio: 0.5,
  shareZ: 3,
  partnerShare: 0.25,
  birthGain: 0.03,
  birthShare: 0.03,
  birthGainRatio: 1.5,
  emptiedCohesion: 0.8,
  emptiedShare: 0.5,
}
