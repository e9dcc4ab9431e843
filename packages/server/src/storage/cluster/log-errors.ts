/** The log has commits that were deleted before this node had read them. The node has to start again. */
export class LogGapError extends Error {
  override readonly name = 'LogGapError'

  constructor(after: number, next: number) {
    super(
      `This node has read the log through commit ${after}, and the next one that is left is ${next}: ` +
        'it was stopped for too long. Start it again.',
    )
  }
}

/** The log is not the one that this node has read. The node has to start again. */
export class LostCommitsError extends Error {
  override readonly name = 'LostCommitsError'

  constructor(known: string, found: string) {
    super(
      `PostgreSQL has lost commits: this node has read the log through ${known}, and now it ends with ${found}. ` +
        'It was restored, recovered or failed over to an earlier moment. Start the node again.',
    )
  }
}
