/** The meaning of a code, and the remedy for the client or the operator. One or two sentences each. */
export interface Explanation {
  readonly meaning: string
  readonly remedy: string
}
