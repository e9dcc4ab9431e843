import { DASHBOARDS_MAX } from '../limits.ts'
import { Dashboard, DashboardCreate, DashboardList, DashboardPatch } from '../schemas/dashboard.ts'
import { ListQuery } from '../schemas/list-query.ts'
import { idParameter, parameters } from '../schemas/primitives.ts'
import { jsonBody, type Operation } from './operation.ts'
import { BY_AUTHOR, WRITING_SCOPES } from './view-operations.ts'

const DashboardPath = parameters({ id: idParameter('dash', 'The dashboard. One of another project does not exist.') })

const FIRST =
  'A project without saved dashboards has a first one: runs, failures by type of error, cost by model, the 95th percentile by step, the slowest tools, and scores. A change saves it.'

export const DASHBOARD_OPERATIONS = {
  createDashboard: {
    method: 'POST',
    path: '/v1/dashboards',
    tag: 'views',
    summary: 'Save a dashboard',
    description: `Everybody with access to the project sees it. A project has at most ${DASHBOARDS_MAX}; the first one is saved too, if it is not yet.`,
    scopes: WRITING_SCOPES,
    request: jsonBody(DashboardCreate, 'The name, the time and the tiles.', {
      failures: {
        summary: 'Failures by type of error',
        value: {
          name: 'Failures',
          range: '7d',
          tiles: [
            {
              x: 0,
              y: 0,
              w: 12,
              h: 4,
              view: {
                name: 'Failures by type',
                query: { status: 'error' },
                form: 'chart',
                chart: { rows: 'traces', measure: 'count', group_by: ['error_type'] },
              },
            },
          ],
        },
      },
    }),
    responses: { 201: { description: 'The dashboard was saved.', content: { 'application/json': Dashboard } } },
    errors: ['view_conflict', 'disk_full'],
  },
  listDashboards: {
    method: 'GET',
    path: '/v1/dashboards',
    tag: 'views',
    summary: 'List the dashboards of the project',
    description: `Oldest first. ${FIRST}`,
    scopes: ['read'],
    query: ListQuery,
    responses: { 200: { description: 'One page of dashboards.', content: { 'application/json': DashboardList } } },
  },
  patchDashboard: {
    method: 'PATCH',
    path: '/v1/dashboards/:id',
    tag: 'views',
    summary: 'Change a dashboard',
    description: `Of two concurrent changes the last one wins. ${BY_AUTHOR}`,
    scopes: WRITING_SCOPES,
    pathParameters: DashboardPath,
    request: jsonBody(DashboardPatch, 'At least one field.', {
      rename: { summary: 'Another name', value: { name: 'Failures in production' } },
    }),
    responses: { 200: { description: 'The dashboard after the change.', content: { 'application/json': Dashboard } } },
    errors: ['view_conflict', 'disk_full'],
  },
  deleteDashboard: {
    method: 'DELETE',
    path: '/v1/dashboards/:id',
    tag: 'views',
    summary: 'Delete a dashboard',
    description: `Saved views stay. After the last dashboard the first one is there again. ${BY_AUTHOR}`,
    scopes: WRITING_SCOPES,
    pathParameters: DashboardPath,
    responses: { 204: { description: 'The dashboard was deleted.', content: {} } },
    errors: ['disk_full'],
  },
} as const satisfies Record<string, Operation>
