import { Type, type Static } from 'typebox'
import { closed, count, idString, nullablePrintedTime, nullableString, printedTime } from './primitives.ts'
import { FeedQuery } from './traces/feed-query.ts'

const { sort: _sort, order: _order, limit: _limit, cursor: _cursor, ...filters } = FeedQuery.properties

export const DeletionBody = closed('Which traces are deleted: those that match all given filters.', {
  ...filters,
  dry_run: Type.Optional(Type.Boolean({ description: 'Only counts the traces. Default: false.' })),
  all: Type.Optional(
    Type.Boolean({
      description:
        'Must be true if there is no filter, or if the filters match every trace of the project. Default: false.',
    }),
  ),
})
export type DeletionBody = Static<typeof DeletionBody>

export const DeletionCount = closed('How many traces match.', { count: count('The traces that match now.') })
export type DeletionCount = Static<typeof DeletionCount>

export const DeletionAccepted = closed('The job that deletes the traces.', {
  job_id: idString('job', 'The job: read it at `GET /v1/jobs/{id}`.'),
})
export type DeletionAccepted = Static<typeof DeletionAccepted>

export const JOB_STATUSES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const
export type JobStatus = (typeof JOB_STATUSES)[number]

export const JOB_KINDS = ['traces.delete', 'user.delete', 'retention'] as const
export type JobKind = (typeof JOB_KINDS)[number]

export const DeletionReceipt = closed('What was deleted of a user, and when it was gone.', {
  id: idString('job', 'The job that deleted it.'),
  traces: count('Traces deleted.'),
  steps: count('Steps of these traces.'),
  metric_events: count('Metric events on these traces.'),
  media: count('Attachments of these traces.'),
  requested_at: printedTime('When the deletion was requested.'),
  gone_from_reads_at: printedTime('From when on no read returns any of it.'),
  gone_from_disk_at: nullablePrintedTime('When its bytes had left the disk; null before.'),
})
export type DeletionReceipt = Static<typeof DeletionReceipt>

export const Job = closed('A job that goes on after its request was answered.', {
  id: idString('job', 'The job.'),
  kind: Type.Enum(JOB_KINDS, {
    description:
      '`traces.delete`: deletes what a request asked for. `user.delete`: deletes a user, and waits until the bytes have left the disk. `retention`: deletes what the retention of the project no longer keeps.',
  }),
  status: Type.Enum(JOB_STATUSES, {
    description: '`queued` and `running` jobs go on after a restart of the service. What is deleted stays deleted.',
  }),
  done: count('Traces deleted so far.'),
  total: count('Traces that matched when the job was created.'),
  error: nullableString({ description: 'Why it failed; else null.' }),
  result: Type.Union([DeletionReceipt, Type.Null()], {
    description: 'Of `user.delete` the receipt, once no read returns any of the traces; else null.',
  }),
  created_at: printedTime('When it was created. Later traces are not deleted.'),
  finished_at: nullablePrintedTime('When it ended; null before.'),
})
export type Job = Static<typeof Job>
