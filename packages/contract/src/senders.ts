/** The scope of steps that came as JSON, not as spans. */
export const JSON_SCOPE = 'api'
/** Days back that senders are counted. */
export const SENDER_DAYS = 7
/** Most senders in an answer, and most advice about one. */
export const MOST_SENDERS = 100
export const MOST_ADVICE = 20
/** Of the spans of a sender, how many may not be understood before the dashboard says so. */
export const NOT_UNDERSTOOD_SHARE = 0.1

/** Subjects of advice for a sender. */
export const ADVICE_KINDS = {
  type: 'a span counts tokens or names a model, but does not say that it calls one',
  content: 'an attribute looks like a text or data of the agent, and stayed in the metadata',
  tokens: 'a call of a model has no token counts',
  model: 'a call of a model does not name the model',
  price: 'a step used tokens of a model without a price',
  arguments: 'a call of a tool has no arguments',
  result: 'a call of a tool has no result',
  text: 'a call of a model has no messages with a text',
} as const
export type AdviceKind = keyof typeof ADVICE_KINDS
