import type { ProjectId } from '@spoor/contract/ids'
import { nameOfField } from '@spoor/contract/series-fields'
import { dependOnMoreThanRows } from '@spoor/contract/trace-filters'
import type { WindowQuery } from '../../../ports/monitors/monitor-measures.ts'
import type { TraceRecord } from '../../../ports/traces/trace-record.ts'
import type { ProjectFilter } from '../../../ports/traces/trace-store.ts'
import { KeptWindow, measureKeyOf } from './kept-window.ts'
import { costMeasure } from './priced-rows.ts'
import { bucketAt, bucketSizes } from './window-buckets.ts'

/** The relevant part of a commit. */
export interface WindowChange {
  readonly traces: readonly Pick<TraceRecord, 'projectId' | 'createdAt'>[]
}

/** Numbers of all windows: 80 MB, enough for 100 monitors over a day with 5,000 groups each. */
const MOST_WEIGHT = 10_000_000
/** Beyond this many changed buckets all are read again. */
const MOST_CHANGED = 10_000
/** A monitor that was not evaluated for this long is gone or disabled. */
const UNUSED_AFTER_MS = 600_000
/** Windows that move before yielding: each takes a tenth of a millisecond. */
const MOVED_IN_A_TURN = 50

/** The windows of a project whose short buckets have one length. */
class Grid {
  readonly shortMs: number
  readonly windows = new Map<string, KeptWindow>()
  /** Short buckets that got a commit since the last measurement. */
  changed = new Set<number>()

  constructor(shortMs: number) {
    this.shortMs = shortMs
  }
}

/**
 * Windows of traces and their steps that are measured again and again, each a moment later: their aggregated buckets
 * are kept, and read again only after a commit wrote a version of one of their traces. `note` is called with every
 * commit when it becomes readable, so no kept bucket lacks what was readable before a measurement began. In memory and
 * bounded.
 */
export class KeptWindows {
  readonly #intervalMs: number
  readonly #mostWeight: number
  readonly #grids = new Map<ProjectId, Map<number, Grid>>()

  /** Windows end at multiples of `intervalMs`; others are not kept. */
  constructor(intervalMs: number, mostWeight = MOST_WEIGHT) {
    this.#intervalMs = intervalMs
    this.#mostWeight = mostWeight
  }

  /** MUST be called when a commit becomes readable. */
  note({ traces }: WindowChange): void {
    for (const { projectId, createdAt } of traces) {
      for (const grid of this.#grids.get(projectId)?.values() ?? []) {
        grid.changed.add(bucketAt(grid.shortMs, createdAt))
        if (grid.changed.size > MOST_CHANGED) {
          grid.windows.clear()
          grid.changed.clear()
        }
      }
    }
  }

  forget(isOf: ProjectFilter): void {
    for (const projectId of this.#grids.keys()) if (isOf(projectId)) this.#grids.delete(projectId)
  }

  /**
   * The window of each query about traces or steps, moved to its time; null for one that is not kept, such as one with
   * filters or groups by clusters or metric events, or one of costs: commits do not tell their changes. MUST be called
   * before the measurement waits for settled rows, and not before the last one has ended.
   */
  async begin(projectId: ProjectId, queries: readonly WindowQuery[]): Promise<readonly (KeptWindow | null)[]> {
    for (const grid of this.#grids.get(projectId)?.values() ?? []) {
      for (const window of grid.windows.values()) window.forget(grid.changed)
      grid.changed.clear()
    }
    const moved = new Set<KeptWindow>()
    const windows: (KeptWindow | null)[] = []
    for (const query of queries) {
      windows.push(this.#windowOf(projectId, query, moved))
      if (windows.length % MOVED_IN_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    this.#forgetUnused(Math.max(...queries.map(({ until }) => until)))
    return windows
  }

  /** Null also if the window was moved to another time in this measurement. */
  #windowOf(projectId: ProjectId, query: WindowQuery, moved: Set<KeptWindow>): KeptWindow | null {
    const { from, until, source } = query
    const isKept = source.kind !== 'metric' && dependsOnRows(query)
    const sizes = isKept ? bucketSizes(until - from, this.#intervalMs) : null
    if (sizes === null || until % sizes.shortMs !== 0) return null
    const grids = this.#grids.get(projectId) ?? new Map<number, Grid>()
    const grid = grids.get(sizes.shortMs) ?? new Grid(sizes.shortMs)
    const key = `${measureKeyOf(query)} ${until - from}`
    const window = grid.windows.get(key) ?? new KeptWindow(query, sizes)
    if (moved.has(window)) return window.until === until ? window : null
    window.move(from, until)
    moved.add(window)
    this.#grids.set(projectId, grids.set(sizes.shortMs, grid))
    grid.windows.set(key, window)
    return window
  }

  #forgetUnused(now: number): void {
    let weight = 0
    for (const [projectId, grids] of this.#grids) {
      for (const grid of grids.values()) {
        for (const [key, window] of grid.windows) {
          weight += window.weight
          if (weight > this.#mostWeight || now - window.until > UNUSED_AFTER_MS) grid.windows.delete(key)
        }
        if (grid.windows.size === 0) grids.delete(grid.shortMs)
      }
      if (grids.size === 0) this.#grids.delete(projectId)
    }
  }
}

function dependsOnRows({ source, filters, forEach }: WindowQuery): boolean {
  const isLookedUp = forEach === 'cluster' || (forEach !== null && nameOfField(forEach, 'metric') !== null)
  return !isLookedUp && costMeasure({ source }) === null && !dependOnMoreThanRows(filters)
}
