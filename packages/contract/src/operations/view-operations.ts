import { DEFAULT_LIMITS } from '../limits.ts'
import { ListQuery } from '../schemas/list-query.ts'
import { idParameter, parameters } from '../schemas/primitives.ts'
import { View, ViewCreate, ViewList, ViewPatch } from '../schemas/view.ts'
import { jsonBody, type Operation } from './operation.ts'

const ViewPath = parameters({
  id: idParameter(
    'view',
    'The view. For a view of another project the answer is the same as for one that does not exist.',
  ),
})

/** As for marking a trace: whoever works with traces saves views, and a key that only reads does not. */
export const WRITING_SCOPES = ['ingest', 'manage'] as const

export const BY_AUTHOR =
  'Only the key that created it, its sessions, and keys with the scope `manage` may do so; others get `insufficient_scope`.'

export const VIEW_OPERATIONS = {
  createView: {
    method: 'POST',
    path: '/v1/views',
    summary: 'Save a view',
    description: `Saves filters, order and form (table, steps or chart) under a name. Everybody with access to the project sees the view. A project has at most ${DEFAULT_LIMITS.viewsPerProject} views.`,
    scopes: WRITING_SCOPES,
    request: jsonBody(ViewCreate, 'The name and the query.', {
      failed: {
        summary: 'Failed runs of one model, the slowest first',
        value: {
          name: 'Slow failures',
          query: { status: 'error', model: 'gpt-4o', sort: 'duration_ms', metadata: { env: 'prod' } },
          display: { range: '24h' },
        },
      },
    }),
    responses: { 201: { description: 'The view was saved.', content: { 'application/json': View } } },
    errors: ['view_conflict', 'disk_full'],
  },
  listViews: {
    method: 'GET',
    path: '/v1/views',
    summary: 'List the saved views of the project',
    description: 'Oldest first.',
    scopes: ['read'],
    query: ListQuery,
    responses: { 200: { description: 'One page of views.', content: { 'application/json': ViewList } } },
  },
  patchView: {
    method: 'PATCH',
    path: '/v1/views/:id',
    summary: 'Rename or replace a saved view',
    description: `Of two concurrent changes the last one wins. ${BY_AUTHOR}`,
    scopes: WRITING_SCOPES,
    pathParameters: ViewPath,
    request: jsonBody(ViewPatch, 'At least one field.', {
      rename: { summary: 'Another name', value: { name: 'Slow failures in production' } },
    }),
    responses: { 200: { description: 'The view after the change.', content: { 'application/json': View } } },
    errors: ['view_conflict', 'disk_full'],
  },
  deleteView: {
    method: 'DELETE',
    path: '/v1/views/:id',
    summary: 'Delete a saved view',
    description: `The traces that it lists stay. ${BY_AUTHOR}`,
    scopes: WRITING_SCOPES,
    pathParameters: ViewPath,
    responses: { 204: { description: 'The view was deleted.', content: {} } },
    errors: ['disk_full'],
  },
} as const satisfies Record<string, Operation>
