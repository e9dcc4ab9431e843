import type { MonitorId, ProjectId } from '@spoor/contract/ids'

/** A monitor that crossed its threshold or returned to normal. Its new state, its history and its event are written in one transaction: all of it or nothing. */
export interface MonitorTransition {
  readonly projectId: ProjectId
  readonly monitorId: MonitorId
  /** Of the definition that was evaluated: a monitor that was changed meanwhile keeps the state that the change gave it. */
  readonly revision: number
  readonly to: 'normal' | 'fired'
  /** The evaluation's time, milliseconds since 1970 UTC. */
  readonly at: number
  /** What the window came to; null when it held too little to say. */
  readonly value: number | null
  /** Rows in the window. */
  readonly samples: number
  /** The monitor as it was evaluated, as JSON text in the form of the wire: what a webhook tells of it, whatever becomes of it later. */
  readonly monitor: string
}
