/** A line that the service refused, and why. */
export interface ImportRefusal {
  readonly line: number
  readonly code: string
  readonly detail: string
}

/**
 * Refused lines that are stored to be shown. Others are only counted, so that a completely wrong file costs no memory.
 */
const REFUSALS_SHOWN = 20

/** The outcomes of the lines so far. */
export class ImportCounts {
  committed = 0
  replayed = 0
  refused = 0
  /** Sent, or about to be, without a result. Importing the file again shows whether they were committed. */
  unsettled = 0
  /** Bytes of the lines that have a result, line ends included. */
  bytes = 0
  /** The first refused lines, in the order of the file. */
  #refusals: ImportRefusal[] = []

  get lines(): number {
    return this.committed + this.replayed + this.refused
  }

  get refusals(): readonly ImportRefusal[] {
    return this.#refusals
  }

  refuse(refusal: ImportRefusal): void {
    this.refused += 1
    // Answers arrive in any order: a later line may have been refused before an earlier one.
    this.#refusals.push(refusal)
    this.#refusals = this.#refusals.sort((left, right) => left.line - right.line).slice(0, REFUSALS_SHOWN)
  }
}
