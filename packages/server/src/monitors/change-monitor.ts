import type { Clock } from '../lib/time/clock.ts'
import { checkDefinition } from './check-definition.ts'
import type { DefinitionChecks } from './metric-lookup.ts'
import { type MonitorDraft, toDraft } from './monitor-draft.ts'
import type { MonitorStore } from '../ports/monitors/monitor-store.ts'
import type { Monitor, MonitorStanding } from '../ports/monitors/monitor.ts'
import { type CommitTransition, endingTransition, type PrintMonitor } from './transition.ts'

export interface ChangeMonitorDependencies extends DefinitionChecks {
  readonly store: Pick<MonitorStore, 'replace' | 'remove'>
  readonly commitTransition: CommitTransition
  readonly print: PrintMonitor
  readonly clock: Clock
}

/**
 * Changes a monitor in its current state, and retries if an evaluation or another change was faster. A fired one whose
 * definition changes resolves first, in a commit of its own: if the process dies after it, the monitor is normal, its
 * event is emitted, and it is evaluated as before.
 */
export async function changeMonitor(
  dependencies: ChangeMonitorDependencies,
  find: () => Promise<Monitor>,
  change: Partial<MonitorDraft>,
): Promise<Monitor> {
  // A search that is no longer possible must not keep a monitor from being disabled.
  const checks = change.filters === undefined ? { ...dependencies, checkWords: () => undefined } : dependencies
  for (;;) {
    const before = await find()
    const draft = { ...toDraft(before), ...change }
    const definition = await checkDefinition(checks, before.projectId, draft)
    const { name, enabled } = draft
    const isRedefined = !isSame(definition, before.definition)
    const beginsAnew = isRedefined || enabled !== before.enabled
    if (!beginsAnew && name === before.name) return before
    if (beginsAnew && before.standing.state === 'fired') {
      await resolve(dependencies, before, enabled ? 'change' : 'disable')
      continue
    }
    const after: Monitor = {
      ...before,
      name,
      enabled,
      definition,
      revision: before.revision + 1,
      updatedAt: dependencies.clock.now(),
      standing: beginsAnew ? unevaluated(before.standing) : before.standing,
      groups: beginsAnew ? new Map() : before.groups,
    }
    if (await dependencies.store.replace(before, after)) return after
  }
}

/** With its history. A fired one resolves first. */
export async function removeMonitor(
  dependencies: ChangeMonitorDependencies,
  find: () => Promise<Monitor>,
): Promise<void> {
  for (;;) {
    const monitor = await find()
    if (monitor.standing.state === 'fired') await resolve(dependencies, monitor, 'delete')
    else if (await dependencies.store.remove(monitor)) return
  }
}

function resolve(
  { commitTransition, print, clock }: ChangeMonitorDependencies,
  monitor: Monitor,
  cause: 'change' | 'disable' | 'delete',
): Promise<void> {
  return commitTransition(endingTransition(monitor, cause, clock.now(), print))
}

function unevaluated(standing: MonitorStanding): MonitorStanding {
  return { ...standing, breaches: 0, lastValue: null, lastSamples: null, lastEvaluatedAt: null }
}

/** The same code composes both, but the keys of one may have come from a client's patch. */
function isSame(one: unknown, other: unknown): boolean {
  return sorted(one) === sorted(other)
}

function sorted(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
