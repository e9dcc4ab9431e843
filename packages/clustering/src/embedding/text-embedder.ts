/**
 * How persistently temporary failures are retried: a job retries for long, a round of assignments gets its next turn in
 * seconds.
 */
export type Tries = 'many' | 'one'

/** Computes vectors of texts through an endpoint. */
export interface TextEmbedder {
  /** Identifies the source with 32 hex digits: vectors of two sources cannot be compared. */
  readonly source: string
  /** Display name. */
  readonly model: string
  /**
   * Unit vectors in the order of the texts, all of one length, of finite numbers. No text may be empty. Takes a bounded
   * time. Rejects with EndpointFailure; then no text has a vector.
   */
  embed(texts: readonly string[], tries: Tries): Promise<readonly Float32Array[]>
}
