import { MONITOR_HISTORY_MAX, MONITOR_PREVIEW_MAX } from '../limits.ts'
import { ListQuery } from '../schemas/list-query.ts'
import {
  Monitor,
  MonitorCreate,
  MonitorHistory,
  MonitorList,
  MonitorPatch,
  MonitorPreview,
  MonitorPreviewResult,
} from '../schemas/monitor.ts'
import { idParameter, parameters } from '../schemas/primitives.ts'
import { jsonBody, type Operation, type OperationRequest } from './operation.ts'

const MonitorPath = parameters({ id: idParameter('mon', 'The monitor.') })

/** Error codes of writing a change of state to the journal. */
const WRITING_ERRORS = ['disk_full', 'storage_unavailable'] as const

const PASS_RATE = {
  name: 'refunds go right',
  source: { kind: 'metric', metric: 'refund correct' },
  filters: { run_type: 'agent', metadata: { env: 'prod' } },
  aggregation: 'pass_rate',
  window_seconds: 3600,
  comparison: 'lt',
  threshold: 0.9,
  resolve_threshold: 0.95,
  min_samples: 20,
  consecutive: 2,
} as const

const ERROR_RATE = {
  name: 'errors',
  source: { kind: 'traces', measure: 'error_rate' },
  aggregation: 'avg',
  window_seconds: 900,
  comparison: 'gt',
  threshold: 0.2,
} as const

const CREATE_EXAMPLES = {
  passRate: { summary: 'Of a metric', value: PASS_RATE },
  errorRate: { summary: 'Of traces', value: ERROR_RATE },
} as const satisfies OperationRequest['examples']

export const MONITOR_OPERATIONS = {
  createMonitor: {
    method: 'POST',
    path: '/v1/monitors',
    summary: 'Create a monitor',
    description:
      'By default a monitor is evaluated every 12 seconds, so that a crossing is reported within 15. When the value crosses the threshold, one `monitor.fired` is emitted; when it returns, one `monitor.resolved`.',
    scopes: ['manage'],
    request: jsonBody(MonitorCreate, 'The monitor. Invalid combinations are refused.', CREATE_EXAMPLES),
    audit: { action: 'monitor.created', target: 'monitor', shows: ['name'] },
    responses: { 201: { description: 'The monitor was created.', content: { 'application/json': Monitor } } },
    errors: ['undefined_metric', 'full_text_disabled', ...WRITING_ERRORS],
  },
  listMonitors: {
    method: 'GET',
    path: '/v1/monitors',
    summary: 'List monitors',
    description: 'Oldest first.',
    scopes: ['read'],
    query: ListQuery,
    responses: { 200: { description: 'One page of monitors.', content: { 'application/json': MonitorList } } },
  },
  readMonitor: {
    method: 'GET',
    path: '/v1/monitors/:id',
    summary: 'Read a monitor',
    description: 'The monitor with its state and the result of its last evaluation.',
    scopes: ['read'],
    pathParameters: MonitorPath,
    responses: { 200: { description: 'The monitor.', content: { 'application/json': Monitor } } },
  },
  patchMonitor: {
    method: 'PATCH',
    path: '/v1/monitors/:id',
    summary: 'Change a monitor',
    description:
      'A change of anything but the name resets the monitor: its state is normal and its count of breaching evaluations is 0. If it had fired, `monitor.resolved` is emitted.',
    scopes: ['manage'],
    pathParameters: MonitorPath,
    request: jsonBody(MonitorPatch, 'What to change.', {
      threshold: { summary: 'Another threshold', value: { threshold: 0.8, resolve_threshold: 0.85 } },
    }),
    audit: { action: 'monitor.changed', target: 'monitor', shows: ['name', 'enabled'] },
    responses: { 200: { description: 'The monitor was changed.', content: { 'application/json': Monitor } } },
    errors: ['undefined_metric', 'full_text_disabled', ...WRITING_ERRORS],
  },
  deleteMonitor: {
    method: 'DELETE',
    path: '/v1/monitors/:id',
    summary: 'Delete a monitor',
    description: 'Deletes the monitor and its history. If it had fired, `monitor.resolved` is emitted.',
    scopes: ['manage'],
    pathParameters: MonitorPath,
    audit: { action: 'monitor.deleted', target: 'monitor', shows: [] },
    responses: { 204: { description: 'The monitor was deleted.', content: {} } },
    errors: ['queue_full', ...WRITING_ERRORS],
  },
  readMonitorHistory: {
    method: 'GET',
    path: '/v1/monitors/:id/history',
    summary: 'Read the history of a monitor',
    description: `Changes of state, newest first: at most ${MONITOR_HISTORY_MAX.toLocaleString('en')}, and none older than a year.`,
    scopes: ['read'],
    pathParameters: MonitorPath,
    query: ListQuery,
    responses: { 200: { description: 'One page of history.', content: { 'application/json': MonitorHistory } } },
  },
  previewMonitor: {
    method: 'POST',
    path: '/v1/monitors/preview',
    summary: 'Preview a monitor on past data',
    description: `What a monitor would have done in the last day, or in the given time. The preview has at most ${MONITOR_PREVIEW_MAX.toLocaleString('en')} evaluations, so over a long time they are further apart than those of a real monitor.`,
    scopes: ['read', 'manage'],
    request: jsonBody(MonitorPreview, 'The monitor and the time range.', {
      day: { summary: 'A day', value: { ...ERROR_RATE, start_time: '2026-01-31', end_time: '2026-02-01' } },
    }),
    responses: {
      200: { description: 'The result of the preview.', content: { 'application/json': MonitorPreviewResult } },
    },
    errors: ['undefined_metric', 'full_text_disabled', 'too_many_reads'],
  },
} as const satisfies Record<string, Operation>
