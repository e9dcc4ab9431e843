/** What a code means, and what the client or the operator can do about it. One or two sentences each. */
export interface Explanation {
  readonly meaning: string
  readonly remedy: string
}
