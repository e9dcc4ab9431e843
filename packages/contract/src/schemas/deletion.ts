import { Type, type Static } from 'typebox'
import * as schema from './primitives.ts'
import { FeedQuery } from './traces/feed-query.ts'

const { sort: _sort, order: _order, limit: _limit, cursor: _cursor, ...filters } = FeedQuery.properties

export const DeletionBody = schema.closed('Which traces are deleted: those that match all given filters.', {
  ...filters,
  dry_run: Type.Optional(schema.flagOf('Only counts the traces. Default: false.')),
  all: Type.Optional(
    schema.flagOf(
      'Must be true if there is no filter, or if the filters match every trace of the project. Default: false.',
    ),
  ),
})
export type DeletionBody = Static<typeof DeletionBody>

export const DeletionCount = schema.closed('How many traces match.', {
  count: schema.count('The traces that match now.'),
})
export type DeletionCount = Static<typeof DeletionCount>

export const DeletionAccepted = schema.closed('The job that deletes the traces.', {
  job_id: schema.idString('job', 'The job: read it at `GET /v1/jobs/{id}`.'),
})
export type DeletionAccepted = Static<typeof DeletionAccepted>

export const JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

export const JOB_KINDS = ['traces.delete', 'user.delete', 'retention'] as const
export type JobKind = (typeof JOB_KINDS)[number]

export const DeletionReceipt = schema.closed('What was deleted of a user, and when it was gone.', {
  id: schema.idString('job', 'The job that deleted it.'),
  traces: schema.count('Traces deleted.'),
  steps: schema.count('Steps of these traces.'),
  metric_events: schema.count('Metric events on these traces.'),
  media: schema.count('Attachments of these traces.'),
  requested_at: schema.printedTime('When the deletion was requested.'),
  gone_from_reads_at: schema.printedTime('From when on no read returns any of it.'),
  gone_from_disk_at: schema.nullablePrintedTime('When its bytes had left the disk; null before.'),
})
export type DeletionReceipt = Static<typeof DeletionReceipt>

export const Job = schema.closed('A job that goes on after its request was answered.', {
  id: schema.idString('job', 'The job.'),
  kind: Type.Enum(JOB_KINDS, {
    description:
      '`traces.delete`: deletes what a request asked for. `user.delete`: deletes a user, and waits until the bytes have left the disk. `retention`: deletes what the retention of the project no longer keeps.',
  }),
  status: Type.Enum(JOB_STATUSES, {
    description: '`queued` and `running` jobs go on after a restart of the service. What is deleted stays deleted.',
  }),
  done: schema.count(
    'Traces deleted so far. After a crash up to 100 that left the match by other means may count too.',
  ),
  total: schema.count('Traces that matched when the job was created.'),
  error: schema.nullableText('Why it failed; else null.'),
  result: schema.nullable(
    DeletionReceipt,
    'Of `user.delete` the receipt, once no read returns any of the traces; else null.',
  ),
  created_at: schema.printedTime('When it was created. Later traces are not deleted.'),
  finished_at: schema.nullablePrintedTime('When it ended; null before.'),
})
export type Job = Static<typeof Job>
