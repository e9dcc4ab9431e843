import { DELIVERED_EVENT_TYPES, EVENT_TYPES } from '../../packages/contract/src/events.ts'
import { WEBHOOK_EVENTS } from '../../packages/contract/src/schemas/webhook-event.ts'
import { markdownTable } from './markdown-table.ts'

/** Every type of event that webhooks deliver, with the fields of its `data`. */
export function eventTable(): string {
  return markdownTable([
    ['`type`', 'When', '`data`'],
    ...DELIVERED_EVENT_TYPES.map((type) => {
      const { properties, required } = WEBHOOK_EVENTS[type].properties.data
      const fields = Object.keys(properties).filter((field) => field !== 'truncated')
      const named = fields.map((field) => (required.some((name) => name === field) ? field : `${field}?`))
      return [`\`${type}\``, EVENT_TYPES[type].description, `\`{${named.join(', ')}}\``]
    }),
  ])
}
