/** Thresholds for the identity of clusters from run to run. The reasons are in docs/design/decisions. */
export interface IdentityThresholds {
  /** An id is kept from this Jaccard index over traces that both runs saw, … */
  readonly keptJaccard: number
  /** … when at least this many of them are in either cluster. */
  readonly leastCommonTraces: number
  /**
   * With fewer, an id is kept when the cosine of the centroids is this share of the cosine expected between two samples
   * of one topic.
   */
  readonly keptLikeness: number
  /** A cluster that kept its id has shifted below this Jaccard index, */
  readonly shiftedJaccard: number
  /** or when its share of all traces changed by this much, */
  readonly shareDifference: number
  /** and by this share of its former value, up or down, */
  readonly shareRatio: number
  /** and by more standard errors than this. */
  readonly shareZ: number
  /** From this share of a cluster's traces on, the cluster where they went (split) or came from (merge) is reported. */
  readonly partnerShare: number
  /** A new cluster must gain this share of the objective, */
  readonly newGain: number
  /**
   * and, where too few traces of the last run are here to tell what is new, gain this many times what the last run
   * refused.
   */
  readonly refusedGainRatio: number
  /** A centroid is dropped if the mean cosine of its traces is below this share of its former value, */
  readonly emptiedCohesion: number
  /** and its share of all traces fell to this share of its former value. */
  readonly emptiedShare: number
}

export const IDENTITY_THRESHOLDS: IdentityThresholds = {
  keptJaccard: 0.5,
  leastCommonTraces: 20,
  keptLikeness: 0.8,
  shiftedJaccard: 0.7,
  shareDifference: 0.05,
  shareRatio: 0.5,
  shareZ: 3,
  partnerShare: 0.25,
  newGain: 0.03,
  refusedGainRatio: 1.5,
  emptiedCohesion: 0.8,
  emptiedShare: 0.5,
}
