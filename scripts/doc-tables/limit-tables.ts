import { EXPORT_BYTES } from '@spoor/contract/otlp'
import {
  CONTROL_NAME_LENGTH,
  EVENT_BODY_BYTES,
  JSON_BODY_VALUES,
  LIMIT_NAMES,
  LIMITS,
  METRIC_COMMENT_LENGTH,
  METRIC_NAME_LENGTH,
  METRIC_OPTIONS_MAX,
  NAME_LENGTH,
  SERIES_GROUPS_MAX,
  SERIES_POINTS_MAX,
  SESSION_BODY_BYTES,
  SLUG_LENGTH,
  UNPRICED_MODELS_MAX,
} from '../../packages/contract/src/limits.ts'
import { METADATA_FILTERS_MAX } from '../../packages/contract/src/schemas/traces/feed-query.ts'
import { limitSettingName, SETTINGS } from '../../packages/server/src/config/settings.ts'
import { SESSIONS_PER_KEY } from '../../packages/server/src/projects/sign-in.ts'
import { markdownTable } from './markdown-table.ts'

export function settableLimits(): string {
  return markdownTable([
    ['Limit', 'Default', 'Beyond it', 'Variable'],
    ...LIMIT_NAMES.map((name) => [
      // The amount beside it has the unit.
      LIMITS[name].description.replace(/(, bytes.*)?\.$/, ''),
      amount(LIMITS[name].default, name.endsWith('Bytes')),
      LIMITS[name].beyond,
      `\`${limitSettingName(name)}\``,
    ]),
  ])
}

/** What all clients share. */
export function capacities(): string {
  return markdownTable([
    ['What', 'Default', 'Beyond it', 'Variable'],
    ['Writes waiting for the disk', megabytes('SPOOR_QUEUE_MAX_MB'), RETRY, '`SPOOR_QUEUE_MAX_MB`'],
    [
      'Request bodies and parts of lines in memory',
      megabytes('SPOOR_INGEST_BUFFER_MB'),
      `${RETRY}; a step append ends with that result`,
      '`SPOOR_INGEST_BUFFER_MB`',
    ],
    [
      'Exports of OpenTelemetry for which these have no room',
      `${(2 * EXPORT_BYTES) / 1024 ** 2} MiB, half of it for one project`,
      `they wait in turn, after 30 s ${RETRY}`,
      '',
    ],
    [
      'Refused compressed bodies that are counted before',
      '20, half of them for one project',
      `they wait in turn, after 30 s ${RETRY}`,
      '',
    ],
    [
      'Connections open at once',
      count(defaultOf('SPOOR_MAX_CONNECTIONS')),
      '`503 too_many_connections`',
      '`SPOOR_MAX_CONNECTIONS`',
    ],
    ['Answers in memory that slow readers take', '64 MB', 'the next answer waits', ''],
    ['Reads of a project that wait for the storage engine', '64', '`503 too_many_reads`', ''],
    ['A body that brings less than 16 KB in 30 s of waiting', '30 s', '`408 request_timeout`', ''],
    [
      'A stream of NDJSON lines of which nothing arrives',
      '30 s',
      '`408 request_timeout`; complete lines are stored',
      '',
    ],
    [
      'An answer of which the client takes less than 64 KB in 60 s',
      '60 s',
      'the connection is closed; not for tails',
      '',
    ],
    ['A tail that takes nothing', '60 s', 'the connection is closed; the reader can resume', ''],
  ])
}

export function fixedLimits(): string {
  return markdownTable([
    ['What', 'Limit', 'Beyond it'],
    ['Name, model, session, user, idempotency key, reason', characters(NAME_LENGTH), '`422`, `too_long`'],
    ['Run type, step type', `${SLUG_LENGTH} of \`A-Za-z0-9_.-\``, '`422`'],
    ['Name of a project, key or monitor', characters(CONTROL_NAME_LENGTH), '`422`, `too_long`'],
    ['Name of a metric, an option and its label', characters(METRIC_NAME_LENGTH), '`422`, `too_long`'],
    ['Comment of a metric event', characters(METRIC_COMMENT_LENGTH), '`422`, `too_long`'],
    ['Options of an enum metric', count(METRIC_OPTIONS_MAX), '`422`, `too_many`'],
    ['Body of `POST /v1/session`', amount(SESSION_BODY_BYTES, true), '`413 payload_too_large`'],
    ['Values in any other small JSON body', count(JSON_BODY_VALUES), '`422`, `too_many`'],
    ['Metadata filters of one list', count(METADATA_FILTERS_MAX), '`422`'],
    ['Models listed of a trace', 'the first 100', 'later ones are stored with their steps only'],
    ['Unpriced models named of a trace', `the first ${UNPRICED_MODELS_MAX}`, 'left out'],
    ['Buckets of a series, and its points', count(SERIES_POINTS_MAX), '`422`, `too_many`'],
    ['Groups of a series', `the largest ${SERIES_GROUPS_MAX}`, 'summed up as `other`; `groups_left_out` says how many'],
    ['Metadata or bodies on one page of a list', '2 MB', 'the page ends early; `next_cursor` continues'],
    [
      'A walk by `duration_ms`, `total_tokens`, `step_count` or `cost_usd`',
      'one hour; by cost also until a price changes',
      '`422 cursor_expired`: start the list again',
    ],
    ['Sessions of a key', count(SESSIONS_PER_KEY), 'the oldest ends'],
    ['Body of a webhook delivery', `${count(EVENT_BODY_BYTES)} bytes`, 'parts are cut and named in `truncated`'],
  ])
}

const RETRY = '`503 queue_full` with `Retry-After`'

function defaultOf(name: string): number {
  const setting = SETTINGS.find((candidate) => candidate.name === name)
  if (setting?.type !== 'integer') throw new Error(`there is no setting ${name} that is a number`)
  return setting.default
}

const megabytes = (name: string) => `${count(defaultOf(name))} MB`
const characters = (length: number) => `${count(length)} characters`
const count = (value: number) => value.toLocaleString('en')

function amount(value: number, isBytes: boolean): string {
  if (!isBytes) return count(value)
  const units = ['bytes', 'KiB', 'MiB', 'GiB']
  let [inUnit, unit] = [value, 0]
  while (inUnit >= 1024 && inUnit % 1024 === 0) {
    inUnit /= 1024
    unit += 1
  }
  return `${inUnit} ${units[unit] ?? ''}`
}
