import type { DashboardId, ProjectId } from '@spoor/contract/ids'
import { DASHBOARDS_MAX } from '@spoor/contract/limits'
import { DASHBOARD_COLUMNS } from '@spoor/contract/schemas/dashboard'
import type { Clock } from '../lib/time/clock.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import type { Dashboard } from '../ports/views/view.ts'
import type { ViewStore } from '../ports/views/view-store.ts'
import { firstDashboard, firstDashboardId } from './first-dashboard.ts'
import { requireName, SavedService } from './saved-service.ts'
import type { DashboardUseCases } from './use-cases.ts'

/** Of the tiles of one: a page has up to a hundred. */
const DASHBOARD_LENGTH = 100_000

export interface DashboardDependencies {
  readonly dashboards: ViewStore<Dashboard>
  readonly clock: Clock
  readonly newId: () => DashboardId
  /** The oldest boolean or numeric metric; null without one. */
  readonly scoreOf: (projectId: ProjectId) => Promise<string | null>
}

export function createDashboardService(dependencies: DashboardDependencies): DashboardUseCases {
  const { dashboards: store, clock, newId, scoreOf } = dependencies
  const given = { store, clock, newId, most: DASHBOARDS_MAX, noun: 'dashboard', prefix: 'dash' } as const
  const saved = new SavedService<Dashboard>(given)
  const isEmpty = async (projectId: ProjectId) => (await store.list(projectId, null, 1)).length === 0
  const first = async (projectId: ProjectId) => firstDashboard(projectId, await scoreOf(projectId), clock.now())
  return {
    async create(author, { name, ...content }) {
      checkTiles(content)
      const { projectId } = author
      if (await isEmpty(projectId)) await store.add(await first(projectId), DASHBOARDS_MAX)
      return saved.create(author, name, content)
    },
    async list(projectId, page) {
      if (await isEmpty(projectId)) return { items: [await first(projectId)], nextCursor: null }
      return saved.list(projectId, page)
    },
    async change(principal, id, { name, ...content }) {
      checkTiles(content)
      if (name !== undefined) requireName(name)
      const { projectId, keyId: createdBy } = principal
      // Whoever changes the first one is its author.
      if (id === firstDashboardId(projectId) && (await isEmpty(projectId)))
        await store.add({ ...(await first(projectId)), createdBy }, DASHBOARDS_MAX)
      return saved.change(principal, id, { ...(name === undefined ? {} : { name }), content })
    },
    remove: (principal, id) => saved.remove(principal, id),
  }
}

/** Rules that the schema cannot express. */
function checkTiles({ tiles = [] }: Partial<Dashboard['content']>): void {
  if (JSON.stringify(tiles).length > DASHBOARD_LENGTH) {
    const detail = `They have at most ${DASHBOARD_LENGTH} characters of JSON.`
    throw invalid({ pointer: '/tiles', code: 'too_long', detail })
  }
  for (const [at, tile] of tiles.entries()) {
    const pointer = `/tiles/${at}`
    if ((tile.view_id === undefined) === (tile.view === undefined))
      throw invalid({ pointer, code: 'invalid_value', detail: 'It must have one of view_id and view.' })
    if (tile.view?.form === 'chart' && tile.view.chart === undefined)
      throw invalid({ pointer: `${pointer}/view/chart`, code: 'required', detail: 'The form chart needs it.' })
    if (tile.x + tile.w > DASHBOARD_COLUMNS)
      throw invalid({ pointer: `${pointer}/w`, code: 'out_of_range', detail: 'It is beyond the last column.' })
  }
}
