import type { MonitorId, ProjectId } from '@spoor/contract/ids'

/** An evaluation; or a fired monitor was changed, disabled or deleted, which resolves it. */
export type TransitionCause = 'evaluation' | 'change' | 'disable' | 'delete'

/**
 * A monitor that crossed its threshold or returned to normal. Its new state, its history and its event are written in
 * one transaction: all of it or nothing.
 */
export interface MonitorTransition {
  readonly projectId: ProjectId
  readonly monitorId: MonitorId
  /**
   * Of the definition that was evaluated: a monitor that was changed meanwhile keeps the state that the change gave it.
   */
  readonly revision: number
  /** The group whose state changes; null without `forEach`. */
  readonly group: string | null
  /** Never the state that it, or its group, had. */
  readonly to: 'normal' | 'fired'
  readonly cause: TransitionCause
  /**
   * Of an evaluation: the one before (of a group its own), as it was read. When the monitor has been evaluated by
   * anybody else since, the transition is refused.
   */
  readonly previouslyEvaluatedAt: number | null
  /** The evaluation's time, or that of the change, milliseconds since 1970 UTC. */
  readonly at: number
  /** The aggregate of the window; null if it had too few samples. */
  readonly value: number | null
  /** Rows in the window. */
  readonly samples: number
  /** The threshold that the value was compared with. */
  readonly threshold: number
  /**
   * The monitor as it was evaluated, as JSON text in the form of the wire. Webhooks send this, even if it changes
   * later.
   */
  readonly monitor: string
}
