import type { MonitorCreate, MonitorPatch, MonitorPreview } from './generated/api-types.ts'
import type { Call, Query } from './call.ts'

export function monitorRequests(call: Call) {
  return {
    create: (body: MonitorCreate) => call('createMonitor', { body }),
    list: (query?: Query<'listMonitors'>) => call('listMonitors', { query: query ?? {} }),
    get: (id: string) => call('readMonitor', { path: { id } }),
    update: (id: string, body: MonitorPatch) => call('patchMonitor', { path: { id }, body }),
    delete: (id: string) => call('deleteMonitor', { path: { id } }),
    history: (id: string, query?: Query<'readMonitorHistory'>) =>
      call('readMonitorHistory', { path: { id }, query: query ?? {} }),
    /** The changes of state that the monitor would have had in the past. */
    preview: (body: MonitorPreview) => call('previewMonitor', { body }, { repeatable: true }),
  }
}
