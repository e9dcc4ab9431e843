import { IsSchema, type TSchema } from 'typebox'
import { DELIVERED_EVENT_TYPES, EVENT_TYPES } from '../events.ts'
import * as schemas from './schema-modules.ts'
import { StepBody } from '../schemas/traces/trace-body.ts'
import { WEBHOOK_EVENTS } from '../schemas/webhook-event.ts'

/** Names other than those of the exports. */
const RENAMED: Readonly<Record<string, string>> = { MessageBody: 'Message', ErrorCodeName: 'ErrorCode' }

const { token_usage: TokenUsage, error: StepError } = StepBody.properties

/** What a document may refer to by name. The names are stable: clients are generated from them. */
export const NAMED_SCHEMAS: Readonly<Record<string, TSchema>> = {
  ...Object.fromEntries(Object.entries(schemas).flatMap(schemaOf)),
  ...Object.fromEntries(DELIVERED_EVENT_TYPES.map((type) => [EVENT_TYPES[type].schema, WEBHOOK_EVENTS[type]])),
  TokenUsage,
  StepError,
}

/** Schemas among the exports, which have names like these. */
function schemaOf([name, value]: [string, unknown]): (readonly [name: string, schema: TSchema])[] {
  return IsSchema(value) && /^[A-Z][a-z]/.test(name) ? [[RENAMED[name] ?? name, value]] : []
}
