import type { MonitorId, ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { Clock } from '../lib/time/clock.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import { checkDefinition } from './check-definition.ts'
import type { DefinitionChecks } from './metric-lookup.ts'
import type { MonitorDraft } from './monitor-draft.ts'
import type { MonitorStore } from '../ports/monitors/monitor-store.ts'
import type { Monitor } from '../ports/monitors/monitor.ts'

export interface CreateMonitorDependencies extends DefinitionChecks {
  readonly store: Pick<MonitorStore, 'create'>
  readonly clock: Clock
  readonly newId: () => MonitorId
  readonly limits: Limits
}

/** A new monitor is normal, and is evaluated at the next evaluation of all. */
export async function createMonitor(
  dependencies: CreateMonitorDependencies,
  projectId: ProjectId,
  draft: MonitorDraft,
): Promise<Monitor> {
  const { store, clock, newId, limits } = dependencies
  const definition = await checkDefinition(dependencies, projectId, draft)
  const now = clock.now()
  const monitor: Monitor = {
    projectId,
    id: newId(),
    name: draft.name,
    enabled: draft.enabled,
    definition,
    revision: 1,
    createdAt: now,
    updatedAt: now,
    standing: {
      state: 'normal',
      stateSince: now,
      breaches: 0,
      lastValue: null,
      lastSamples: null,
      lastEvaluatedAt: null,
    },
    groups: new Map(),
  }
  if (await store.create(monitor, limits.monitorsPerProject)) return monitor
  const detail = `A project has at most ${limits.monitorsPerProject} monitors.`
  throw invalid({ pointer: '', code: 'too_many', detail })
}
