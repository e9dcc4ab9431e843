import type { Matrix } from '../matrix.ts'
import type { PreviousRun } from './previous-run.ts'
import type { IdentityThresholds } from './thresholds.ts'
import type { ChooseKOptions } from '../partition/choose-k.ts'

export interface ContinuedRun extends ChooseKOptions {
  readonly points: Matrix
  readonly previous: PreviousRun
  /** For each point its cluster in the last run, -1 if it was not in it. */
  readonly before: Int32Array
  /** A sample of the traces of an earlier run, as points of this one; null before there is one. */
  readonly earlier: Matrix | null
  readonly thresholds: IdentityThresholds
}
