interface Sample {
  /** By the timers, which no change of the clock moves. */
  readonly at: number
  readonly version: number
}

/**
 * Remembers which commit was the last at which time: a trace that no commit after that one has changed was quiet since.
 * A new instance knows nothing, so after a restart every trace is quiet for the whole time once more.
 */
export class QuietVersions {
  readonly #quietMs: number
  #samples: Sample[] = []
  /** The newest version that is old enough. */
  #quiet: number | null = null

  constructor(quietMs: number) {
    this.#quietMs = quietMs
  }

  /**
   * Call it regularly with the last commit that is readable. Returns the last commit as of `quietMs` ago, null if that
   * is not known yet.
   */
  sample(at: number, version: number): number | null {
    if (this.#samples.at(-1)?.version !== version && this.#quiet !== version) this.#samples.push({ at, version })
    const young = this.#samples.findIndex((sample) => sample.at > at - this.#quietMs)
    const old = young < 0 ? this.#samples.length : young
    this.#quiet = this.#samples[old - 1]?.version ?? this.#quiet
    this.#samples = this.#samples.slice(old)
    return this.#quiet
  }
}
