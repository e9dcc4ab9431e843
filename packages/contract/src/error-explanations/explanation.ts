/** What a code means, and what a client or its operator does about it. One or two sentences each. */
export interface Explanation {
  readonly meaning: string
  readonly remedy: string
}
