import { cut, type Told } from './told.ts'

/** A limit of PagerDuty, in characters. */
const SUMMARY = 1024

const SEVERITIES = { bad: 'error', good: 'info', neutral: 'info' } as const

/** For the Events API v2: https://developer.pagerduty.com/docs/send-alert-event */
export function pagerdutyEvent({ message, event, link, secret }: Told): object {
  const { title, text, fields, tone, incident, isEnd } = message
  return {
    routing_key: secret,
    event_action: isEnd ? 'resolve' : 'trigger',
    dedup_key: `spoor-${incident}`,
    payload: {
      summary: cut(title, SUMMARY),
      source: `spoor ${event.project_id}`,
      severity: SEVERITIES[tone],
      timestamp: event.timestamp,
      class: event.type,
      custom_details: { ...(text === null ? {} : { text }), ...Object.fromEntries(fields) },
    },
    client: 'Spoor',
    ...(link === null ? {} : { client_url: link, links: [{ href: link, text: 'Open in Spoor' }] }),
  }
}
