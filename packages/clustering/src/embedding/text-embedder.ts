/** Tries of what fails in passing: a job is patient, a round has its next turn in seconds. */
export type Tries = 'many' | 'one'

/** Makes vectors of texts, elsewhere. */
export interface TextEmbedder {
  /** Vectors of two sources cannot be compared: 32 hex digits that tell this one from all others. */
  readonly source: string
  /** As people call it. */
  readonly model: string
  /**
   * Unit vectors in the order of the texts, all of one length, of finite numbers. No text may be empty. Takes a bounded time. Rejects with EndpointFailure; then nothing is
   * known of any of the texts.
   */
  embed(texts: readonly string[], tries: Tries): Promise<readonly Float32Array[]>
}
