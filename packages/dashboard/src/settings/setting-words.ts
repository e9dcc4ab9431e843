import { formatBytes, formatCount } from '../lib/format-number.ts'
import { formatDuration } from '../lib/format-time.ts'

const UNITS = ['bytes', 'seconds', 'ms', 'hours', 'days'] as const

/** Names that do not read well by themselves. */
const WORDS: Readonly<Record<string, string>> = {
  trace_body_bytes: 'Body of one trace',
  line_bytes: 'One line of NDJSON',
  ndjson_request_bytes: 'One NDJSON request',
  lines_per_json_response: 'Steps appended in one JSON answer',
  control_body_bytes: 'Any other JSON body',
  json_depth: 'Nesting of JSON',
  metadata_keys: 'Metadata keys of a trace',
  metadata_bytes: 'Metadata of a trace',
  metadata_key_length: 'Characters in a metadata key',
  steps_per_trace_body: 'Steps in the body of one trace',
  upload_bytes: 'One uploaded file',
  attachments_per_trace: 'Attachments of a trace',
  metrics_per_project: 'Metrics of a project',
  metric_event_bytes: 'One metric event',
  metric_batch_bytes: 'One batch of metric events',
  monitors_per_project: 'Monitors of a project',
  webhooks_per_project: 'Webhooks of a project',
  list_limit_default: 'Rows of a page, unless asked otherwise',
  list_limit_max: 'Rows of a page, at most',
  journal_seconds: 'How far back the live tail resumes',
  delivery_seconds: 'Finished deliveries and their attempts',
  session_seconds: 'Staying signed in',
  full_text: 'Search in names and texts',
  media_store: 'Media are kept in a',
  monitor_interval_seconds: 'Monitors tell of a crossing within',
}

/** "step_count_max_bytes" as "Step count max". */
export function nameOfSetting(name: string): string {
  if (Object.hasOwn(WORDS, name)) return WORDS[name] ?? name
  const words = name.split('_').filter((word) => word !== '')
  if (words.length > 1 && UNITS.some((unit) => unit === words.at(-1))) words.pop()
  const text = words.join(' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** In the unit that its name ends with. */
export function valueOfSetting(name: string, value: unknown): string {
  if (value === null) return 'unlimited'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value !== 'number') return typeof value === 'string' ? value : JSON.stringify(value)
  if (name.endsWith('_bytes')) return formatBytes(value)
  if (name.endsWith('_seconds')) return formatSpan(value * 1000)
  if (name.endsWith('_ms')) return formatSpan(value)
  if (name.endsWith('_hours')) return formatSpan(value * 3_600_000)
  return formatCount(value)
}

const DAY = 86_400_000

function formatSpan(ms: number): string {
  if (ms === 0 || ms % DAY !== 0) return formatDuration(ms)
  return ms === DAY ? '1 day' : `${formatCount(ms / DAY)} days`
}
