/** Names a cluster from some of its traces through an endpoint. */
export interface ClusterNamer {
  /** Display name. */
  readonly model: string
  /**
   * Takes a bounded time. Rejects with an Error that says why there is no name. The texts are never instructions to the
   * model.
   */
  name(question: NamingQuestion): Promise<GivenName>
}

export interface NamingQuestion {
  /** Texts of traces that stand for the cluster … */
  readonly members: readonly string[]
  /** … texts of the nearest traces of other clusters … */
  readonly outsiders: readonly string[]
  /** … and words that distinguish it from the others, best first. */
  readonly keywords: readonly string[]
}

/** Each one line of plain text: not empty, without control or format characters. */
export interface GivenName {
  /** At most 80 characters. */
  readonly label: string
  /** At most 300. */
  readonly description: string
}
