import type { ViewId } from '@spoor/contract/ids'
import { type Limits, VIEW_DISPLAY_LENGTH } from '@spoor/contract/limits'
import type { Clock } from '../lib/time/clock.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import type { View } from '../ports/views/view.ts'
import type { ViewStore } from '../ports/views/view-store.ts'
import { SavedService } from './saved-service.ts'
import type { ViewUseCases } from './use-cases.ts'

export interface ViewServiceDependencies {
  readonly views: ViewStore
  readonly clock: Clock
  readonly newId: () => ViewId
  readonly limits: Pick<Limits, 'viewsPerProject'>
}

export function createViewService({ views, clock, newId, limits }: ViewServiceDependencies): ViewUseCases {
  const most = limits.viewsPerProject
  const saved = new SavedService<View>({ store: views, clock, newId, most, noun: 'view', prefix: 'view' })
  return {
    async create(author, { name, query, form = 'table', chart = null, display = {} }) {
      check({ form, chart, display })
      return saved.create(author, name, { query, form, chart, display })
    },
    list: (projectId, page) => saved.list(projectId, page),
    async change(principal, id, { name, ...content }) {
      check(content)
      return saved.change(principal, id, { ...(name === undefined ? {} : { name }), content })
    },
    remove: (principal, id) => saved.remove(principal, id),
  }
}

/** Rules that the schema cannot express. */
function check({ form, chart, display }: Partial<View['content']>): void {
  if (form === 'chart' && (chart ?? null) === null)
    throw invalid({ pointer: '/chart', code: 'required', detail: 'A view of the form chart needs it.' })
  if (display !== undefined && JSON.stringify(display).length > VIEW_DISPLAY_LENGTH) {
    const detail = `It has at most ${VIEW_DISPLAY_LENGTH} characters of JSON.`
    throw invalid({ pointer: '/display', code: 'too_long', detail })
  }
}
