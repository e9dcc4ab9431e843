/** The findings about one kind of data. */
export interface CheckResult {
  /** The subject of the check, in the operator's terms. */
  readonly part: string
  /** The amount that exists. */
  readonly detail: string
  /** Sentences; empty when everything exists and is intact. */
  readonly problems: readonly string[]
}
