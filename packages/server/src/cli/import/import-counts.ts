export interface LinePlace {
  readonly line: number
  /** Only if there are several files. */
  readonly file?: string
}

/** A line that the service refused, or took only without some of its values, and why. */
export interface ImportRefusal extends LinePlace {
  readonly code: string
  readonly detail: string
}

/** Lines that are kept to be shown. Others are only counted, so that a completely wrong file costs no memory. */
const LINES_SHOWN = 20

/** The outcomes of the lines so far. */
export class ImportCounts {
  committed = 0
  replayed = 0
  refused = 0
  /** Committed, with values moved aside. */
  changed = 0
  /** Sent, or about to be, without a result. Importing the file again shows whether they were committed. */
  unsettled = 0
  /** Bytes of the lines that have a result, line ends included. */
  bytes = 0
  /** The first refused lines, in the order of the file. */
  refusals: readonly ImportRefusal[] = []
  /** The same of changed lines. */
  changes: readonly ImportRefusal[] = []

  get lines(): number {
    return this.committed + this.replayed + this.refused
  }

  refuse(refusal: ImportRefusal): void {
    this.refused += 1
    this.refusals = firstWith(this.refusals, refusal)
  }

  change(change: ImportRefusal): void {
    this.changed += 1
    this.changes = firstWith(this.changes, change)
  }
}

/** Answers arrive in any order: a later line may have been answered before an earlier one. */
function firstWith(shown: readonly ImportRefusal[], one: ImportRefusal): readonly ImportRefusal[] {
  return [...shown, one].sort((left, right) => left.line - right.line).slice(0, LINES_SHOWN)
}
