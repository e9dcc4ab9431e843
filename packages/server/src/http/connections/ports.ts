import type { KeyId, ProjectId } from '@spoor/contract/ids'
import type { MetricSeries, MetricSeriesRequest } from '../../metrics/read-metric-series.ts'
import type { Explored, ExploreRequest } from '../../traces/read/explore-series.ts'
import type { Principal } from '../../projects/authenticate.ts'
import type { CreatedKey, CreateKeyRequest } from '../../projects/create-key.ts'
import type { StoredKey } from '../../ports/access/key-store.ts'
import type { ChangeKeyRequest } from '../../projects/change-key.ts'
import type { ProjectChange } from '../../projects/change-project.ts'
import type { ListKeysRequest } from '../../projects/list-keys.ts'
import type { Page, PageRequest } from '../../lib/list-page.ts'
import type { Project } from '../../ports/access/project-store.ts'
import type { Session } from '../../ports/access/session.ts'
import type { SignedIn, SignInRequest } from '../../projects/sign-in.ts'
import type { SwitchProjectRequest } from '../../projects/switch-project.ts'

export type { Principal } from '../../projects/authenticate.ts'
export type { Session } from '../../ports/access/session.ts'

export interface Authenticator {
  /**
   * Throws the same DomainError `unauthorized` for every invalid secret: missing, malformed, unknown, expired or
   * revoked.
   */
  authenticate(secret: string | undefined): Promise<Principal>
  /**
   * Throws the same for every invalid token: malformed, unknown, or of a session that has ended or whose key has. With
   * `project`, the session is in that project for this request; throws `not_found` if it may not be.
   */
  authenticateSession(token: string, project: string | null): Promise<Session>
}

export interface SessionUseCases {
  /** Throws DomainError `unauthorized` like an Authenticator. */
  signIn(request: SignInRequest): Promise<SignedIn>
  /** Throws DomainError `not_found`, and `unauthorized` like an Authenticator. The caller checks the scopes. */
  switchProject(request: SwitchProjectRequest): Promise<Session>
  signOut(token: string): Promise<void>
}

export interface ProjectUseCases {
  create(project: { readonly name: string }): Promise<Project>
  find(projectId: ProjectId): Promise<Project | undefined>
  /** Throws DomainError `not_found`. */
  change(change: ProjectChange): Promise<Project>
  /** All of them, oldest first. Throws DomainError `invalid_cursor`. */
  list(page: PageRequest): Promise<Page<Project>>
}

/** Use cases of projects/. Every method throws DomainError `not_found` for a project or key that does not exist. */
export interface KeyUseCases {
  create(key: CreateKeyRequest): Promise<CreatedKey>
  change(request: ChangeKeyRequest): Promise<StoredKey>
  list(page: ListKeysRequest): Promise<Page<StoredKey>>
  revoke(key: { readonly projectId: ProjectId; readonly keyId: KeyId; readonly mayRevokeAdmin: boolean }): Promise<void>
}

/** Series of metrics/ and of traces/. All throw DomainError `validation_failed`. */
export interface SeriesUseCases {
  /** Throws DomainError `not_found` if the project has no metric with this name. */
  ofMetric(request: MetricSeriesRequest): Promise<MetricSeries>
  /** Of traces or steps. */
  explore(request: ExploreRequest): Promise<Explored>
}
