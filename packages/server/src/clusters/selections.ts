import { hash } from 'node:crypto'
import type { ProjectId } from '@spoor/contract/ids'
import { CLUSTER_SELECTIONS_MAX } from '@spoor/contract/limits'
import type { SummaryQuery } from '../ports/traces/trace-summaries.ts'
import { DomainError } from '../lib/domain-error.ts'
import { idFromBytes } from '../lib/ids/typeid.ts'
import type { Clock } from '../lib/time/clock.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import { clusterSetOf } from '../ports/clusters/cluster-set.ts'
import type { ClusterStore, Selection } from '../ports/clusters/cluster-store.ts'
import type { ClusterUseCases, KnownSelection, SelectionFilters } from './use-cases.ts'

/** The filters as a store takes them; null if no trace can match. Throws DomainError `full_text_disabled`. */
export type LookUpFilters = (
  projectId: ProjectId,
  filters: SelectionFilters,
) => Promise<Omit<SummaryQuery, 'by'> | null>

export interface SelectionDependencies {
  readonly clusters: Pick<ClusterStore, 'selections' | 'addSelection' | 'dropSelection'>
  readonly lookUp: LookUpFilters
  readonly clock: Clock
  /** Yields to other work. */
  readonly breathe: () => Promise<void>
}

const ID_BYTES = 16

export function createSelections({ clusters, lookUp, clock, breathe }: SelectionDependencies) {
  async function find(projectId: ProjectId, id: Selection['id']): Promise<KnownSelection> {
    const found = (await clusters.selections(projectId)).find((one) => one.id === id)
    if (found === undefined) throw new DomainError('not_found', 'There is no such selection.')
    return toKnown(found)
  }
  const useCases: Pick<ClusterUseCases, 'setOf' | 'selections' | 'dropSelection'> = {
    async setOf(projectId, kind, selection) {
      if (selection !== null) await find(projectId, selection)
      return clusterSetOf(projectId, kind, selection)
    },
    selections: async (projectId) => (await clusters.selections(projectId)).map(toKnown),
    async dropSelection(projectId, id) {
      await find(projectId, id)
      while (await clusters.dropSelection(projectId, id)) await breathe()
    },
  }
  return {
    useCases,
    /** Throws `not_found`. */
    find,
    /** Throws `validation_failed`, `full_text_disabled`. */
    async add(projectId: ProjectId, filters: SelectionFilters): Promise<Selection['id']> {
      await lookUp(projectId, filters)
      const text = JSON.stringify(filters)
      const id = idFromBytes('sel', hash('sha256', text, 'buffer').subarray(0, ID_BYTES))
      if (await clusters.addSelection(projectId, { id, filters: text, createdAt: clock.now() })) return id
      const detail = `A project has at most ${CLUSTER_SELECTIONS_MAX} selections. Delete one first.`
      throw invalid({ pointer: '/filters', code: 'too_many', detail })
    },
  }
}

/** The traces of a selection; null if it has none, or no longer exists. */
export async function matchingOf(
  { clusters, lookUp }: Pick<SelectionDependencies, 'lookUp'> & { readonly clusters: Pick<ClusterStore, 'selections'> },
  projectId: ProjectId,
  id: Selection['id'],
): Promise<Omit<SummaryQuery, 'by'> | null> {
  const selection = (await clusters.selections(projectId)).find((one) => one.id === id)
  return selection === undefined ? null : lookUp(projectId, toKnown(selection).filters)
}

function toKnown({ filters, ...selection }: Selection): KnownSelection {
  return { ...selection, filters: JSON.parse(filters) as SelectionFilters }
}
