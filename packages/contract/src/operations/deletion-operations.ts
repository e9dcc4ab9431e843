import { Type } from 'typebox'
import { DeletionAccepted, DeletionBody, DeletionCount, Job } from '../schemas/deletion.ts'
import { idParameter, parameters } from '../schemas/primitives.ts'
import { TraceUserPath } from '../schemas/traces/trace-summary.ts'
import { JSON_BODY_ERRORS, jsonBody, type Operation } from './operation.ts'

const JobPath = parameters({ id: idParameter('job', 'The job.') })

const JOB_CREATED = {
  description: 'The job was created.',
  content: { 'application/json': DeletionAccepted },
  headers: { location: { description: 'The job.', schema: Type.String() } },
}

export const DELETION_OPERATIONS = {
  deleteTraces: {
    method: 'POST',
    path: '/v1/traces/delete',
    summary: 'Delete all traces that match',
    description:
      'Takes the filters of `GET /v1/traces`. A job deletes the traces that match, as `DELETE /v1/traces/{id}` does; it cannot be undone. It goes on after a restart, and can be cancelled. Count first with `dry_run`.',
    scopes: ['manage'],
    request: jsonBody(DeletionBody, 'The filters.', {
      old: { summary: 'Old runs of a test', value: { end_time: '2026-01-31', run_type: 'test', dry_run: true } },
    }),
    audit: { action: 'traces.deleted', target: 'job', shows: Object.keys(DeletionBody.properties) },
    responses: {
      200: { description: 'The traces were counted (`dry_run`).', content: { 'application/json': DeletionCount } },
      202: JOB_CREATED,
    },
    errors: [...JSON_BODY_ERRORS, 'full_text_disabled', 'disk_full'],
  },
  deleteUser: {
    method: 'DELETE',
    path: '/v1/users/:user_id',
    tag: 'traces',
    summary: 'Delete a user',
    description:
      'A job deletes all traces with this `user_id` that exist now, with their steps, metric events and media. It also clears the names and keywords of all clusters until the next discovery. The job succeeds once the bytes have left the disk; its `result` is the receipt, which the audit log keeps. Count first with `POST /v1/traces/delete`, `user_id` and `dry_run`.',
    scopes: ['manage'],
    pathParameters: TraceUserPath,
    audit: { action: 'user.deleted', target: 'user', shows: [] },
    responses: { 202: JOB_CREATED },
    errors: ['not_found', 'disk_full'],
  },
  getJob: {
    method: 'GET',
    path: '/v1/jobs/:id',
    tag: 'traces',
    summary: 'Read a job',
    description: 'A job that ended is kept for 30 days.',
    scopes: ['manage'],
    pathParameters: JobPath,
    responses: { 200: { description: 'The job.', content: { 'application/json': Job } } },
    errors: ['not_found'],
  },
  cancelJob: {
    method: 'DELETE',
    path: '/v1/jobs/:id',
    tag: 'traces',
    summary: 'Cancel a job',
    description: 'A running job stops after at most 100 more traces. Cancelling a job that has ended changes nothing.',
    scopes: ['manage'],
    pathParameters: JobPath,
    audit: { action: 'job.cancelled', target: 'job', shows: [] },
    responses: { 200: { description: 'The job.', content: { 'application/json': Job } } },
    errors: ['not_found', 'disk_full'],
  },
} as const satisfies Record<string, Operation>
