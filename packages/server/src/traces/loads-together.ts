import type { ProjectId, TraceId } from '@spoor/contract/ids'
import type { TraceRecord } from './trace-record.ts'

/** Newest versions of these traces, distinct ones, as far as the project has them. */
export type LoadTraces = (projectId: ProjectId, ids: readonly TraceId[]) => Promise<readonly TraceRecord[]>

/** Read at once. Each is some tens of bytes of the engine's statement, which must not grow past 256 KiB, and a row that may hold much metadata. */
const MOST_TOGETHER = 1000

/**
 * Reads of single traces, those that are asked for in one turn of the event loop in one go: a thousand judgements of a thousand traces are one question to the engine, and so
 * are requests that arrived together.
 */
export class LoadsTogether {
  readonly #load: LoadTraces
  readonly #waiting = new Map<ProjectId, Group>()

  constructor(load: LoadTraces) {
    this.#load = load
  }

  /** Undefined when the project has no such trace. Rejects as the load does. Ids that wait at the same time MUST be distinct. */
  async find(projectId: ProjectId, id: TraceId): Promise<TraceRecord | undefined> {
    let group = this.#waiting.get(projectId)
    if (group === undefined) {
      group = this.#begin(projectId)
      this.#waiting.set(projectId, group)
    }
    group.ids.push(id)
    if (group.ids.length === MOST_TOGETHER) this.#waiting.delete(projectId)
    return (await group.found).get(id)
  }

  #begin(projectId: ProjectId): Group {
    const ids: TraceId[] = []
    const found = nextTurn().then(async () => {
      if (this.#waiting.get(projectId)?.ids === ids) this.#waiting.delete(projectId)
      const traces = await this.#load(projectId, ids)
      return new Map(traces.map((trace) => [trace.id, trace]))
    })
    return { ids, found }
  }
}

interface Group {
  readonly ids: TraceId[]
  readonly found: Promise<ReadonlyMap<TraceId, TraceRecord>>
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
