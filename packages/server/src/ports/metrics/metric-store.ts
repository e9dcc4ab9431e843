import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { MetricDefinition } from './metric-definition.ts'

export type AddOutcome =
  | { readonly status: 'added' }
  /** There is one of this name already: nothing was changed. */
  | { readonly status: 'exists'; readonly definition: MetricDefinition }
  /** The project has as many as it may: nothing was changed. */
  | { readonly status: 'full' }

/** Where definitions are kept. A write is durable when it resolves, and later reads see it. Reads of one are cheap. */
export interface MetricStore {
  /** Of several at once with one name exactly one is added. `mostOfProject` is how many the project may have. */
  add(definition: MetricDefinition, mostOfProject: number): Promise<AddOutcome>
  /**
   * Replaces a definition by the result of `apply`. Nothing comes between reading and writing; `apply` may run twice
   * and MUST NOT wait. If it throws, the error is rethrown and nothing is changed. `id`, `name`, `kind` and `createdAt`
   * MUST stay. Undefined when there is none.
   */
  change(
    projectId: ProjectId,
    name: string,
    apply: (definition: MetricDefinition) => MetricDefinition,
  ): Promise<MetricDefinition | undefined>
  findByName(projectId: ProjectId, name: string): Promise<MetricDefinition | undefined>
  findById(projectId: ProjectId, id: MetricId): Promise<MetricDefinition | undefined>
  hasAny(projectId: ProjectId): Promise<boolean>
  /** By id, which is by age: the oldest first, those after `after`. */
  list(projectId: ProjectId, after: MetricId | null, limit: number): Promise<readonly MetricDefinition[]>
}
