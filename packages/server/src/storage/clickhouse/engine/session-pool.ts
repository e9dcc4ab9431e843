/** A fixed set of sessions; each runs one query at a time. They are handed out in the order of requests. */
export class SessionPool<Session> {
  readonly #size: number
  readonly #idle: Session[]
  readonly #waiting: ((session: Session) => void)[] = []

  constructor(sessions: readonly Session[]) {
    this.#size = sessions.length
    this.#idle = [...sessions]
  }

  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.#take()
    try {
      return await work(session)
    } finally {
      this.#giveBack(session)
    }
  }

  /**
   * Runs `work` while no session is in use: waits for running queries. MUST NOT be called again before it has resolved,
   * since two calls would wait for each other.
   */
  async withAllHeld<T>(work: () => Promise<T>): Promise<T> {
    const held: Session[] = []
    while (held.length < this.#size) held.push(await this.#take())
    try {
      return await work()
    } finally {
      for (const session of held) this.#giveBack(session)
    }
  }

  async #take(): Promise<Session> {
    return this.#idle.pop() ?? (await new Promise<Session>((resolve) => this.#waiting.push(resolve)))
  }

  #giveBack(session: Session): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#idle.push(session)
    else next(session)
  }
}
