/**
 * Identifiers are TypeIDs: a prefix, `_`, and a UUIDv7 in 26 characters of Crockford base32.
 * They sort by creation time. Format: https://github.com/jetify-com/typeid (spec v0.3).
 */
export type IdPrefix =
  | 'tr'
  | 'st'
  | 'clu'
  | 'sel'
  | 'proj'
  | 'key'
  | 'med'
  | 'met'
  | 'mev'
  | 'mon'
  | 'wh'
  | 'evt'
  | 'dlv'
  | 'job'
  | 'view'
  | 'dash'
  | 'aud'

declare const brand: unique symbol
export type Id<P extends IdPrefix> = `${P}_${string}` & { readonly [brand]: P }

export type TraceId = Id<'tr'>
export type StepId = Id<'st'>
export type ProjectId = Id<'proj'>
export type ClusterId = Id<'clu'>
export type SelectionId = Id<'sel'>
export type KeyId = Id<'key'>
export type AttachmentId = Id<'med'>
export type MetricId = Id<'met'>
export type MetricEventId = Id<'mev'>
export type MonitorId = Id<'mon'>
export type WebhookId = Id<'wh'>
export type EventId = Id<'evt'>
export type DeliveryId = Id<'dlv'>
export type JobId = Id<'job'>
export type ViewId = Id<'view'>
export type DashboardId = Id<'dash'>
export type AuditEntryId = Id<'aud'>

/** First character 0-7: 26 base32 characters hold 130 bits, an id has 128. */
const SUFFIX = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/

/** Whether `text` is a well-formed id with this prefix. Says nothing about existence. */
export function isId<P extends IdPrefix>(prefix: P, text: unknown): text is Id<P> {
  return (
    typeof text === 'string' &&
    text.length === prefix.length + 27 &&
    text.startsWith(prefix) &&
    text.charCodeAt(prefix.length) === 95 &&
    SUFFIX.test(text.slice(prefix.length + 1))
  )
}
