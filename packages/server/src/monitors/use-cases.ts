import type { MonitorId, ProjectId } from '@spoor/contract/ids'
import type { MonitorDraft } from './monitor-draft.ts'
import type { HistoryEntry } from '../ports/monitors/monitor-store.ts'
import type { Monitor, MonitorState } from '../ports/monitors/monitor.ts'
import type { Page, PageRequest } from '../lib/list-page.ts'

/**
 * Monitor use cases of a client. Every method answers a monitor of another project exactly as one that does not exist:
 * DomainError `not_found`.
 */
export interface MonitorUseCases {
  /** Throws `validation_failed`, `undefined_metric`, `storage_unavailable`, `disk_full`. */
  create(projectId: ProjectId, draft: MonitorDraft): Promise<Monitor>
  list(projectId: ProjectId, page: PageRequest): Promise<Page<Monitor>>
  find(projectId: ProjectId, id: MonitorId): Promise<Monitor>
  /** A change of anything but the name starts again: normal, and evaluations counted from none. */
  patch(projectId: ProjectId, id: MonitorId, change: Partial<MonitorDraft>): Promise<Monitor>
  remove(projectId: ProjectId, id: MonitorId): Promise<void>
  /** Newest first. */
  history(projectId: ProjectId, id: MonitorId, page: PageRequest): Promise<Page<HistoryEntry>>
  preview(projectId: ProjectId, request: PreviewRequest): Promise<Preview>
}

export interface PreviewRequest {
  readonly draft: MonitorDraft
  /** Milliseconds since 1970 UTC; null is the default. */
  readonly startTime: number | null
  readonly endTime: number | null
}

export interface PreviewEvaluation {
  readonly at: number
  /** Null without `forEach`. */
  readonly group: string | null
  readonly value: number | null
  readonly samples: number
  /** After it. */
  readonly state: MonitorState
}

export interface PreviewTransition {
  readonly at: number
  readonly group: string | null
  readonly to: MonitorState
  readonly value: number | null
}

export interface Preview {
  readonly evaluations: readonly PreviewEvaluation[]
  readonly transitions: readonly PreviewTransition[]
  readonly stepMs: number
}
