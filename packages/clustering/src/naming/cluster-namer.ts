/** Names a cluster from some of its traces, elsewhere. */
export interface ClusterNamer {
  /** As people call it. */
  readonly model: string
  /** Takes a bounded time. Rejects with an Error that says why there is no name; what the texts say is never an instruction to it. */
  name(question: NamingQuestion): Promise<GivenName>
}

export interface NamingQuestion {
  /** Texts of traces that stand for the cluster … */
  readonly members: readonly string[]
  /** … of those nearest to it that are in others … */
  readonly outsiders: readonly string[]
  /** … and words that tell it from the others, best first. */
  readonly keywords: readonly string[]
}

/** Each one line of plain text: not empty, without control or format characters. */
export interface GivenName {
  /** At most 80 characters. */
  readonly label: string
  /** At most 300. */
  readonly description: string
}
