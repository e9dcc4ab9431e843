import type { MetricId, ProjectId } from '@spoor/contract/ids'
import type { MetricDefinition } from '../ports/metrics/metric-definition.ts'
import type { MetricStore } from '../ports/metrics/metric-store.ts'

/**
 * Definitions in memory: every event is validated against one and printed with its name. Bounded by about the number of
 * characters they hold. When full, all are evicted, since they cost little to read again. A definition that does not
 * exist is queried again each time.
 */
export class DefinitionCache {
  readonly #store: Pick<MetricStore, 'findByName' | 'findById' | 'list'>
  readonly #maxCharacters: number
  readonly #byName = new Map<string, MetricDefinition>()
  readonly #byId = new Map<MetricId, MetricDefinition>()
  /** Projects that have a definition. They always will. */
  readonly #inUse = new Set<ProjectId>()
  #characters = 0
  /**
   * Grows with every change, so that a read in progress meanwhile is not cached: it may have seen the earlier state.
   */
  #changes = 0
  readonly #version: (() => Promise<unknown>) | null
  #knownVersion: unknown = null

  /** @param version of a store that other processes change, too: see SqlDatabase.version; null: none does */
  constructor(
    store: Pick<MetricStore, 'findByName' | 'findById' | 'list'>,
    maxCharacters: number,
    version: (() => Promise<unknown>) | null = null,
  ) {
    this.#store = store
    this.#maxCharacters = maxCharacters
    this.#version = version
  }

  findByName(projectId: ProjectId, name: string): Promise<MetricDefinition | undefined> {
    if (this.#version === null) return this.#findByName(projectId, name)
    return this.#follow(this.#version).then(() => this.#findByName(projectId, name))
  }

  findById(projectId: ProjectId, id: MetricId): Promise<MetricDefinition | undefined> {
    if (this.#version === null) return this.#findById(projectId, id)
    return this.#follow(this.#version).then(() => this.#findById(projectId, id))
  }

  #findByName(projectId: ProjectId, name: string): Promise<MetricDefinition | undefined> {
    const known = this.#byName.get(keyOf(projectId, name))
    return known === undefined ? this.#read(() => this.#store.findByName(projectId, name)) : Promise.resolve(known)
  }

  #findById(projectId: ProjectId, id: MetricId): Promise<MetricDefinition | undefined> {
    const known = this.#byId.get(id)
    if (known === undefined) return this.#read(() => this.#store.findById(projectId, id))
    return Promise.resolve(known.projectId === projectId ? known : undefined)
  }

  /** Whether the project has any definition, without which it has no events. */
  async hasAny(projectId: ProjectId): Promise<boolean> {
    if (this.#inUse.has(projectId)) return true
    const [first] = await this.#store.list(projectId, null, 1)
    if (first !== undefined) this.#inUse.add(projectId)
    return first !== undefined
  }

  /** MUST be called with the result of a change, once that is durable. */
  replace(definition: MetricDefinition): void {
    this.#changes += 1
    this.#forget(definition)
    this.#remember(definition)
  }

  async #follow(readVersion: () => Promise<unknown>): Promise<void> {
    const version = await readVersion()
    if (version === this.#knownVersion) return
    this.#knownVersion = version
    this.#changes += 1
    this.#forgetAll()
  }

  async #read(find: () => Promise<MetricDefinition | undefined>): Promise<MetricDefinition | undefined> {
    const changes = this.#changes
    const found = await find()
    if (found !== undefined && changes === this.#changes) {
      this.#forget(found)
      this.#remember(found)
    }
    return found
  }

  #remember(definition: MetricDefinition): void {
    const characters = sizeOf(definition)
    if (this.#characters + characters > this.#maxCharacters) this.#forgetAll()
    this.#byName.set(keyOf(definition.projectId, definition.name), definition)
    this.#byId.set(definition.id, definition)
    this.#characters += characters
  }

  #forgetAll(): void {
    this.#byName.clear()
    this.#byId.clear()
    this.#characters = 0
  }

  #forget({ id }: MetricDefinition): void {
    const known = this.#byId.get(id)
    if (known === undefined) return
    this.#byId.delete(id)
    this.#byName.delete(keyOf(known.projectId, known.name))
    this.#characters -= sizeOf(known)
  }
}

function keyOf(projectId: ProjectId, name: string): string {
  return `${projectId}${name}`
}

/** The overhead of an entry beside its texts, counted as characters. */
const OVERHEAD = 500

function sizeOf({ name, description, unit, options }: MetricDefinition): number {
  let characters = OVERHEAD + name.length + (description?.length ?? 0) + (unit?.length ?? 0)
  for (const { value, label } of options ?? []) characters += OVERHEAD / 5 + value.length + (label?.length ?? 0)
  return characters
}
