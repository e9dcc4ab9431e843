import { type DeliveredEventType, EVENT_TYPES, type EventSubject, type EventTypeOf } from '@spoor/contract/events'
import type { WebhookEvents } from '@spoor/contract/schemas/webhook-event'

export type AnyEvent = WebhookEvents[DeliveredEventType]
type EventOn<Subject extends EventSubject> = WebhookEvents[EventTypeOf<Subject>]

/** An event in words, before a receiver's form is made of it. Texts are plain, and show what they hold. */
export interface EventMessage {
  readonly title: string
  /** More, for instance why, in one or several lines; null if there is nothing to add. */
  readonly text: string | null
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** Of the dashboard; null if no screen is about the event. */
  readonly path: string | null
  readonly tone: 'bad' | 'good' | 'neutral'
  /** Equal for the events of one incident. */
  readonly incident: string
  /** Ends its incident. */
  readonly isEnd: boolean
}

export function toEventMessage(event: AnyEvent): EventMessage {
  const { title, text, fields, path, ...message } = messageOf(event)
  return {
    ...message,
    title: shown(title),
    text: text === null ? null : text.split('\n').map(shown).join('\n'),
    fields: fields.map(([name, value]) => [name, shown(value)]),
    path: path === null ? null : `/app/p/${event.project_id}/${path}`,
  }
}

/** A line without characters that end it, cannot be seen, or change the direction of the text. */
function shown(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu, ' ')
}

/** `path` is below the project's. */
function messageOf(event: AnyEvent): EventMessage {
  if (isOn(event, 'trace', 'flag')) return traceMessage(event)
  if (isOn(event, 'metric event')) return metricMessage(event)
  if (isOn(event, 'removed event')) {
    const { id, trace_id } = event.data.event
    const title = EVENT_TYPES[event.type].happened
    return { ...NEUTRAL, title, fields: [['Trace', trace_id]], path: `traces/${trace_id}`, incident: id }
  }
  if (isOn(event, 'transition')) return monitorMessage(event)
  if (isOn(event, 'cluster', 'cluster change')) return clusterMessage(event)
  if (isOn(event, 'cluster pattern')) return patternMessage(event)
  if (isOn(event, 'version')) return versionMessage(event)
  return { ...NEUTRAL, title: EVENT_TYPES[event.type].happened, path: 'webhooks', incident: event.id }
}

function isOn<Subject extends EventSubject>(
  event: AnyEvent,
  ...subjects: readonly Subject[]
): event is EventOn<Subject> {
  return (subjects as readonly EventSubject[]).includes(EVENT_TYPES[event.type].subject)
}

const NEUTRAL = { text: null, fields: [], path: null, tone: 'neutral', isEnd: false } as const

function traceMessage({ type, data }: EventOn<'trace' | 'flag'>): EventMessage {
  const { trace } = data
  const { input, output } = trace.token_usage
  const happened = trace.status === 'error' ? 'Run failed' : EVENT_TYPES[type].happened
  return {
    ...NEUTRAL,
    title: `${happened}: ${trace.name}`,
    text: ('reason' in data ? data.reason : null) ?? null,
    fields: [
      ['Run type', trace.run_type],
      ['Steps', count(trace.step_count)],
      ['Tokens', count(input + output)],
      ...(trace.duration_ms === null ? [] : [['Duration', duration(trace.duration_ms)] as const]),
      ...(trace.models.length === 0 ? [] : [['Models', trace.models.join(', ')] as const]),
      ...(trace.session_id === null ? [] : [['Session', trace.session_id] as const]),
      ...(trace.user_id === null ? [] : [['User', trace.user_id] as const]),
    ],
    path: `traces/${trace.id}`,
    tone: trace.status === 'error' || type === 'trace.flagged' ? 'bad' : 'neutral',
    incident: trace.id,
  }
}

function metricMessage({ data: { event } }: WebhookEvents['metric.event']): EventMessage {
  const value = event.passed === null ? String(event.value) : event.passed ? 'passed' : 'not passed'
  return {
    ...NEUTRAL,
    title: `${event.name}: ${value}`,
    text: event.comment,
    fields: event.source === null ? [] : [['Source', event.source]],
    path: `traces/${event.trace_id}`,
    tone: event.passed === false ? 'bad' : 'neutral',
    incident: event.id,
  }
}

/** What receivers take. */
const INCIDENT_LENGTH = 240

const SIGNS: Readonly<Record<string, string>> = { gt: '>', gte: '≥', lt: '<', lte: '≤' }

function monitorMessage({ type, data: { monitor, value, group } }: EventOn<'transition'>): EventMessage {
  const { source, aggregation, comparison, threshold, window_seconds: seconds } = monitor
  const measured = source.kind === 'steps' ? `${source.measure} of steps` : source.measure
  const watched = source.metric ?? measured ?? source.kind
  return {
    ...NEUTRAL,
    title: `${EVENT_TYPES[type].happened}: ${monitor.name}${group === null ? '' : ` (${group})`}`,
    text: `${aggregation} of ${watched} over ${duration(seconds * 1000)}`,
    fields: [
      ...(group === null ? [] : [[monitor.for_each ?? 'Group', group] as const]),
      ['Value', value === null ? 'too few rows' : number(value)],
      ['Fires at', `${SIGNS[comparison] ?? comparison} ${number(threshold)}`],
    ],
    path: `monitors/${monitor.id}`,
    tone: type === 'monitor.fired' ? 'bad' : 'good',
    incident: group === null ? monitor.id : `${monitor.id} ${group}`.slice(0, INCIDENT_LENGTH),
    isEnd: type === 'monitor.resolved',
  }
}

function clusterMessage({ type, data: { cluster } }: EventOn<'cluster' | 'cluster change'>): EventMessage {
  return {
    ...NEUTRAL,
    title: `${EVENT_TYPES[type].happened}: ${cluster.label}`,
    text: cluster.description,
    fields: [
      ['Traces', count(cluster.size)],
      ['Failed', `${number(100 * cluster.error_rate)} %`],
    ],
    path: `clusters/${cluster.id}`,
    tone: cluster.color === 'fail' ? 'bad' : 'neutral',
    incident: cluster.id,
  }
}

function patternMessage({ type, data: { cluster, pattern } }: EventOn<'cluster pattern'>): EventMessage {
  return {
    ...NEUTRAL,
    title: `${EVENT_TYPES[type].happened}: ${cluster.label}`,
    text: plain(pattern.what),
    path: `clusters/${cluster.id}`,
    tone: 'bad',
    incident: cluster.id,
  }
}

function versionMessage({ id, type, data }: EventOn<'version'>): EventMessage {
  const { version, compared_with, cluster, failed, before, patterns } = data
  const share = (of: typeof failed) => `${number((100 * of.count) / of.of)} % of ${count(of.of)} runs`
  return {
    ...NEUTRAL,
    title: `${EVENT_TYPES[type].happened}: ${version}${cluster === null ? '' : ` (${cluster.label})`}`,
    text: patterns.length === 0 ? null : patterns.map(({ what }) => plain(what)).join('\n'),
    fields: [
      ['Failed', share(failed)],
      ['Failed before', `${share(before)} of ${compared_with}`],
    ],
    path: 'versions',
    tone: 'bad',
    incident: id,
  }
}

/** Sentences have backticks around what was recorded. */
const plain = (sentence: string): string => sentence.replaceAll('`', '')

const WHOLE = new Intl.NumberFormat('en')
const FOUR_DIGITS = new Intl.NumberFormat('en', { maximumSignificantDigits: 4 })
const count = (value: number): string => WHOLE.format(value)
const number = (value: number): string => FOUR_DIGITS.format(value)

function duration(ms: number): string {
  if (ms < 1000) return `${ms} ms`
  const seconds = ms / 1000
  if (seconds < 120) return `${number(seconds)} s`
  return seconds < 7200 ? `${number(seconds / 60)} min` : `${number(seconds / 3600)} h`
}
