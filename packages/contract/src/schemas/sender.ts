import { Type, type Static } from 'typebox'
import { closed, flagOf, listOf, nullable, textOf } from './primitives.ts'
import { ADVICE_KINDS, type AdviceKind, MOST_ADVICE, MOST_SENDERS } from '../senders.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

export const SenderAdvice = closed('What to change at a sender, and for how many spans.', {
  kind: Type.Enum(Object.keys(ADVICE_KINDS) as AdviceKind[], {
    description: `What is missing. ${Object.entries(ADVICE_KINDS)
      .map(([kind, words]) => `\`${kind}\`: ${words}.`)
      .join(' ')}`,
  }),
  attribute: nullable(
    Type.String(),
    'For `type` and `content`, the name of the attribute, with `*` for its numbers; for `price`, the model. Never a value.',
  ),
  count: Type.Integer({ minimum: 1, description: 'The number of spans.' }),
})

export const Sender = closed('What came from one sender, and what of it was not understood.', {
  scope: textOf(
    'The name of the instrumentation scope of OpenTelemetry, up to 100 characters; empty if spans have none. `spoor` is a recorder of Spoor, `api` is what is sent as JSON.',
  ),
  version: textOf('The version of the scope, up to 100 characters; may be empty.'),
  spans: Type.Integer({ minimum: 1, description: 'The number of its steps.' }),
  share_other: Type.Number({ minimum: 0, maximum: 1, description: 'The share of steps whose type is `other`.' }),
  not_understood: count(
    'Steps with advice of the kinds `type` or `content`: there is a sign of a model or of content that was not read. Other spans without such a sign, as of HTTP or a database, are not among them.',
  ),
  without_tokens: count(
    'Calls of models (`llm`, `embedding`) that name a model and have no tokens. Failed ones do not count.',
  ),
  without_price: count(
    'Steps with tokens whose model has no price now, and whose sender gave no cost; and calls of models that name no model.',
  ),
  without_arguments: count('Calls of tools without arguments or without a result. A failed call needs no result.'),
  without_text: count('Calls of models (`llm`) without a message that has a text, another part or a call.'),
  advice: listOf(
    SenderAdvice,
    `What to change, by the number of spans, most first; at most ${MOST_ADVICE}. Empty if all was understood.`,
  ),
})
export type Sender = Static<typeof Sender>

export const SenderList = closed('What came in.', {
  senders: listOf(Sender, `The senders, most spans first; at most ${MOST_SENDERS}.`),
  complete: flagOf('False if there are too many senders to count or to show them all.'),
})
export type SenderList = Static<typeof SenderList>
