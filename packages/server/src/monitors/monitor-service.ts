import type { MonitorId, ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { Clock } from '../lib/time/clock.ts'
import { DomainError } from '../lib/domain-error.ts'
import { listPage, readPage } from '../lib/list-page.ts'
import { changeMonitor, removeMonitor } from './change-monitor.ts'
import { createMonitor } from './create-monitor.ts'
import type { DefinitionChecks } from './metric-lookup.ts'
import type { MonitorMeasures } from '../ports/monitors/monitor-measures.ts'
import type { MonitorStore } from '../ports/monitors/monitor-store.ts'
import { previewMonitor } from './preview-monitor.ts'
import type { CommitTransition, PrintMonitor } from './transition.ts'
import type { MonitorUseCases } from './use-cases.ts'

export interface MonitorServiceDependencies extends DefinitionChecks {
  readonly store: MonitorStore
  readonly measures: MonitorMeasures
  readonly commitTransition: CommitTransition
  readonly print: PrintMonitor
  readonly clock: Clock
  readonly newId: () => MonitorId
  readonly limits: Limits
  readonly intervalMs: number
}

/** All monitor use cases of clients, composed. */
export function createMonitorService(dependencies: MonitorServiceDependencies): MonitorUseCases {
  const { store } = dependencies
  const find = (projectId: ProjectId, id: MonitorId) => findMonitor(store, projectId, id)
  return {
    create: (projectId, draft) => createMonitor(dependencies, projectId, draft),
    list: (projectId, { cursor, limit }) =>
      listPage('mon', cursor, limit, (after, most) => store.list(projectId, after, most)),
    find,
    patch: (projectId, id, change) => changeMonitor(dependencies, () => find(projectId, id), change),
    remove: (projectId, id) => removeMonitor(dependencies, () => find(projectId, id)),
    async history(projectId, id, page) {
      await find(projectId, id)
      return readPage(
        page,
        (text) => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined),
        (behind, limit) => store.history(projectId, id, behind, limit),
        ({ sequence }) => sequence,
      )
    },
    preview: (projectId, request) => previewMonitor(dependencies, projectId, request),
  }
}

async function findMonitor(store: Pick<MonitorStore, 'find'>, projectId: ProjectId, id: MonitorId) {
  const monitor = await store.find(projectId, id)
  if (monitor === undefined) throw new DomainError('not_found', 'There is no such monitor.')
  return monitor
}
