import type { WebhookFormat } from '@spoor/contract/webhook-formats'
import { discordMessage } from './discord-message.ts'
import { type AnyEvent, toEventMessage } from './event-message.ts'
import { pagerdutyEvent } from './pagerduty-event.ts'
import { slackMessage } from './slack-message.ts'
import type { Told } from './told.ts'

interface Receiver {
  readonly format: WebhookFormat
  /** Newest first. */
  readonly secrets: readonly string[]
}

/**
 * What is sent: the event as it is stored, or the message that the webhook wants instead. The same event gives the same
 * bytes on every attempt. `publicUrl` is the dashboard's address without a path; null if it is not known.
 */
export function toDeliveredBody(body: Uint8Array, { format, secrets }: Receiver, publicUrl: string | null): Uint8Array {
  if (format === 'json') return body
  const event = JSON.parse(Buffer.from(body).toString()) as AnyEvent
  const message = toEventMessage(event)
  const link = publicUrl === null || message.path === null ? null : `${publicUrl}${message.path}`
  const [secret = ''] = secrets
  return Buffer.from(JSON.stringify(FORMS[format]({ message, event, link, secret })))
}

const FORMS: Readonly<Record<Exclude<WebhookFormat, 'json'>, (told: Told) => object>> = {
  slack: slackMessage,
  discord: discordMessage,
  pagerduty: pagerdutyEvent,
}
