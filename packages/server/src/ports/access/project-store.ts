import type { ProjectId } from '@spoor/contract/ids'
import { type Masking, NO_MASKING } from '@spoor/contract/schemas/masking'
import { PROJECT_DEFAULTS, type SpanFilter } from '@spoor/contract/schemas/project'
import type { StoredKey } from './key-store.ts'

/** What a project decides for itself. */
export interface ProjectSettings {
  /** Which spans of OpenTelemetry it takes. */
  readonly spanFilter: SpanFilter
  /** The metadata keys whose values are the version and the task of a run. */
  readonly versionKey: string
  readonly taskKey: string
  /** `metadata.KEY` or `$.KEY`, see the contract; null: the messages of the user. */
  readonly inputPath: string | null
  readonly retention: Retention
  readonly masking: Masking
}

/** For how many days data is kept after it came, 1 or more; null: until it is deleted. */
export interface Retention {
  /** Traces that are not flagged. */
  readonly days: number | null
  readonly flaggedDays: number | null
  /** Media, also that of traces that are kept. */
  readonly mediaDays: number | null
}

/** Of a new project. */
export const NEW_PROJECT: ProjectSettings = {
  spanFilter: PROJECT_DEFAULTS.span_filter,
  versionKey: PROJECT_DEFAULTS.version_key,
  taskKey: PROJECT_DEFAULTS.task_key,
  inputPath: PROJECT_DEFAULTS.input_path,
  retention: { days: null, flaggedDays: null, mediaDays: null },
  masking: NO_MASKING,
}

export interface Project extends ProjectSettings {
  readonly id: ProjectId
  readonly name: string
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number
}

/** Its settings are NEW_PROJECT. */
export type NewProject = Omit<Project, keyof ProjectSettings>

/** The settings that change, of the retention the times that change, and of masking the lists that change. */
export interface SettingsChange extends Partial<Omit<ProjectSettings, 'retention' | 'masking'>> {
  readonly retention?: Partial<Retention>
  readonly masking?: Partial<Masking>
}

/**
 * Where projects are kept. Several processes may use it at once; each sees the others' finished writes. Methods reject
 * with DomainError `storage_unavailable`, and methods that write also with `disk_full`: nothing is written then.
 */
export interface ProjectStore {
  /**
   * The project and its first keys: all durable when it resolves, or none. Rejects when there is a project of this id,
   * or a key of the id or secret of one of `keys`.
   */
  create(project: NewProject, keys: readonly StoredKey[]): Promise<void>
  /** Called for every request that writes traces, so an adapter SHOULD answer from memory. */
  find(id: ProjectId): Promise<Project | undefined>
  /** Settings that are not given stay. Returns the changed project; undefined if there is none. */
  change(id: ProjectId, settings: SettingsChange): Promise<Project | undefined>
  /** By id, which is by age: the oldest first, those after `after`. */
  list(after: ProjectId | null, limit: number): Promise<readonly Project[]>
  /** Names are not unique. By id; the case counts. */
  findByName(name: string): Promise<readonly Project[]>
}
