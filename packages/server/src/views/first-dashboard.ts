import type { DashboardId, ProjectId } from '@spoor/contract/ids'
import type { Dashboard } from '../ports/views/view.ts'

type Tile = Dashboard['content']['tiles'][number]
type TileView = NonNullable<Tile['view']>

const CHARTS: readonly (readonly [name: string, chart: NonNullable<TileView['chart']>, query?: TileView['query']])[] = [
  ['Runs', { rows: 'traces', measure: 'count', group_by: ['status'], drawn: 'stacked' }],
  [
    'Failures by type of error',
    { rows: 'traces', measure: 'count', group_by: ['error_type'], drawn: 'stacked', limit: 8 },
    { status: 'error' },
  ],
  [
    'Cost by model',
    { rows: 'traces', measure: 'cost_usd', stat: 'sum', group_by: ['model'], drawn: 'stacked', limit: 8 },
  ],
  [
    'p95 by step',
    { rows: 'steps', measure: 'duration_ms', stat: 'p95', group_by: ['step_name'], drawn: 'line', limit: 8 },
  ],
  [
    'Slowest tools',
    {
      rows: 'steps',
      measure: 'duration_ms',
      stat: 'p95',
      group_by: ['tool'],
      drawn: 'groups',
      bucket: 'all',
      limit: 10,
    },
    { step_type: 'tool' },
  ],
]

/** A project has one id of it. */
export function firstDashboardId(projectId: ProjectId): DashboardId {
  return projectId.replace(/^proj/, 'dash') as DashboardId
}

/** `score`: the metric of its last chart; null: none. */
export function firstDashboard(projectId: ProjectId, score: string | null, now: number): Dashboard {
  const scores = ['Scores', { rows: 'traces', measure: `metric.${score}`, drawn: 'line' }] as const
  const tiles = [...CHARTS, ...(score === null ? [] : [scores])].map(([name, chart, query = {}], at): Tile => ({
    view: { name, query, form: 'chart', chart },
    x: 6 * (at % 2),
    y: 4 * Math.floor(at / 2),
    w: 6,
    h: 4,
  }))
  const id = firstDashboardId(projectId)
  return {
    projectId,
    id,
    name: 'Overview',
    content: { range: '24h', tiles },
    createdBy: null,
    createdAt: now,
    updatedAt: now,
  }
}
