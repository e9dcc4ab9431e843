import type { STEP_SORTS } from '@spoor/contract/schemas/traces/step-row'
import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { StepRecord } from './step-record.ts'
import type { SummaryQuery } from './trace-summaries.ts'

export type StepSort = (typeof STEP_SORTS)[number]

export interface StepInList {
  readonly traceId: TraceId
  readonly position: number
  /** Its sort key: milliseconds, tokens or `dollarsKey`; -1 if it is unknown, 0 for `created_at`. */
  readonly key: number
}

export interface PlaceInList extends StepInList {
  /** Null: not read. */
  readonly traceName: string | null
}

/** The filters of steps hold for the step, all others for its trace. */
export interface StepListQuery extends Omit<SummaryQuery, 'by'> {
  readonly sort: StepSort
  readonly order: 'asc' | 'desc'
  /** Strictly after this one in the order; null for the start. */
  readonly after: StepInList | null
  readonly limit: number
}

export interface FoundStep {
  readonly traceId: TraceId
  /** The tools that it calls. */
  readonly tools: readonly string[]
  readonly step: StepRecord
}

/**
 * Steps of all traces. The latest version of each step counts; those of deleted traces do not. Everything committed
 * before a call counts.
 */
export interface StepListStore {
  /** By the sort key, then by trace and position. A caller that gets fewer than `limit` has all of them. */
  findPlaces(query: StepListQuery): Promise<readonly PlaceInList[]>
  /**
   * The steps of the first `placeCount` places, at least one, whose bodies have at most `mostBytes` together. In no
   * order. Steps that are gone meanwhile are left out.
   */
  readSteps(
    projectId: ProjectId,
    places: readonly StepInList[],
    mostBytes: number,
  ): Promise<{ readonly steps: readonly FoundStep[]; readonly placeCount: number }>
}
