/** A simple query of PostgreSQL's protocol: `Q`, the length of the rest, the text, a zero byte. */
const COMMIT = Buffer.from('Q\0\0\0\x0bCOMMIT\0', 'latin1')
/** The statement that commits traces without `BEGIN`: see packages/server/src/storage/cluster/plain-commit.ts. */
const PLAIN_COMMIT = Buffer.from('INSERT INTO commits (')
/** A statement is prepared once for each connection: its name, a zero byte, its text. */
const PREPARED = /([\w-]+)\0[^\0]*INSERT INTO commits \(/

/** Recognizes what makes a transaction durable in the chunks that clients send to PostgreSQL. */
export class CommitRecognizer {
  /** Names of prepared statements, each between zero bytes. They are the same on all connections. */
  readonly #plainCommits = new Map<string, Buffer>()

  isCommit(chunk: Buffer): boolean {
    if (chunk.subarray(-COMMIT.length).equals(COMMIT)) return true
    if (chunk.includes(PLAIN_COMMIT)) {
      const name = PREPARED.exec(chunk.toString('latin1'))?.[1]
      if (name !== undefined) this.#plainCommits.set(name, Buffer.from(`\0${name}\0`))
    }
    for (const name of this.#plainCommits.values()) if (chunk.includes(name)) return true
    return false
  }
}
