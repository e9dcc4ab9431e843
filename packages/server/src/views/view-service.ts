import type { ViewId } from '@spoor/contract/ids'
import { type Limits, VIEW_DISPLAY_LENGTH } from '@spoor/contract/limits'
import type { ViewPatch } from '@spoor/contract/schemas/view'
import { DomainError } from '../lib/domain-error.ts'
import { listPage } from '../lib/list-page.ts'
import type { Clock } from '../lib/time/clock.ts'
import { checkName } from '../lib/validation/check-name.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import type { Principal } from '../ports/access/scopes.ts'
import type { View } from '../ports/views/view.ts'
import type { ViewStore } from '../ports/views/view-store.ts'
import type { ViewUseCases } from './use-cases.ts'

export interface ViewServiceDependencies {
  readonly views: ViewStore
  readonly clock: Clock
  readonly newId: () => ViewId
  readonly limits: Pick<Limits, 'viewsPerProject'>
}

export function createViewService({ views, clock, newId, limits }: ViewServiceDependencies): ViewUseCases {
  return {
    async create({ projectId, keyId: createdBy }, { name, query, display = {} }) {
      check({ name, display })
      const now = clock.now()
      const view: View = { projectId, id: newId(), name, query, display, createdBy, createdAt: now, updatedAt: now }
      const outcome = await views.add(view, limits.viewsPerProject)
      if (outcome === 'added') return view
      if (outcome === 'name_taken') throw nameTaken()
      const detail = `A project has at most ${limits.viewsPerProject} saved views.`
      throw invalid({ pointer: '', code: 'too_many', detail })
    },
    list: (projectId, { cursor, limit }) =>
      listPage('view', cursor, limit, (after, most) => views.list(projectId, after, most)),
    async change(principal, id, body) {
      check(body)
      const changed = await views.change(principal.projectId, id, (view) => {
        requireAuthor(principal, view)
        return { ...view, ...body, updatedAt: clock.now() }
      })
      if (changed === 'missing') throw notFound()
      if (changed === 'name_taken') throw nameTaken()
      return changed
    },
    async remove(principal, id) {
      const existed = await views.remove(principal.projectId, id, (view) => requireAuthor(principal, view))
      if (!existed) throw notFound()
    },
  }
}

/** A session is the author of what its key saved, also through other sessions. */
function requireAuthor({ keyId, scopes }: Principal, { createdBy }: View): void {
  if (keyId === createdBy || scopes.has('manage')) return
  throw new DomainError(
    'insufficient_scope',
    'Only the key that saved the view and keys with the scope manage change it.',
  )
}

/** Rules that the schema cannot express. */
function check({ name, display }: Pick<ViewPatch, 'name' | 'display'>): void {
  const error = name === undefined ? null : checkName(name)
  if (error !== null) throw invalid(error)
  if (display !== undefined && JSON.stringify(display).length > VIEW_DISPLAY_LENGTH) {
    const detail = `It has at most ${VIEW_DISPLAY_LENGTH} characters of JSON.`
    throw invalid({ pointer: '/display', code: 'too_long', detail })
  }
}

function notFound(): DomainError {
  return new DomainError('not_found', 'There is no such view.')
}

function nameTaken(): DomainError {
  return new DomainError('view_conflict', 'The project has another view of this name.')
}
