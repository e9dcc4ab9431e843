import type { ProjectId, StepId, TraceId } from '@spoor/contract/ids'
import type { Clock } from '../../lib/time/clock.ts'
import { DomainError } from '../../lib/domain-error.ts'

/** Where media belongs. */
export interface MediaPlace {
  readonly projectId: ProjectId
  readonly traceId: TraceId
  /** Null: the whole trace. */
  readonly stepId: StepId | null
}

/** The facts about traces that media needs. */
export interface TraceLookup {
  /** By what is committed now. A trace of another project is one that does not exist. */
  locate(place: MediaPlace): Promise<'found' | 'no_trace' | 'no_step'>
}

/** Throws `not_found` unless the place is there. */
async function requirePlace(traces: TraceLookup, place: MediaPlace): Promise<void> {
  const located = await traces.locate(place)
  if (located === 'no_trace') throw placeNotFound('/trace_id', `There is no trace ${place.traceId} in this project.`)
  if (located === 'no_step') throw placeNotFound('/step_id', `The trace has no step ${place.stepId}.`)
}

export function placeNotFound(pointer: string, detail: string): DomainError {
  return new DomainError('not_found', detail, { errors: [{ pointer, code: 'not_found', detail }] })
}

/** A trace that existed this long ago may be taken to exist: the mark of its deletion is stored for longer. */
const TRUSTED_MS = 10_000

/** Looks a place up once for the checks before and after its file has arrived, unless much time has passed. */
export class PlaceCheck {
  readonly #traces: TraceLookup
  readonly #clock: Clock
  #found: { readonly stepId: StepId | null; readonly at: number } | null = null

  constructor(traces: TraceLookup, clock: Clock) {
    this.#traces = traces
    this.#clock = clock
  }

  /** Call it for one trace only. Throws `not_found`. */
  async require(place: MediaPlace): Promise<void> {
    const found = this.#found
    if (found !== null && found.stepId === place.stepId && this.#clock.now() - found.at < TRUSTED_MS) return
    await requirePlace(this.#traces, place)
    this.#found = { stepId: place.stepId, at: this.#clock.now() }
  }
}
