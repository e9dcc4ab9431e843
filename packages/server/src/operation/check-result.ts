/** What was found of one kind of data. */
export interface CheckResult {
  /** What was looked at, as an operator knows it. */
  readonly part: string
  /** How much there is. */
  readonly detail: string
  /** Sentences; none when everything is there and whole. */
  readonly problems: readonly string[]
}
