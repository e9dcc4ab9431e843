import { Type, type Static } from 'typebox'
import { MOST_EXCERPTS, MOST_PREVIEWED_TRACES } from '../limits.ts'
import { closed, count, idString, nullableText, shortText, textOf } from './primitives.ts'

export const DETECTORS = ['api_key', 'bearer_token', 'card', 'email', 'phone'] as const
export type Detector = (typeof DETECTORS)[number]

const field = Type.String({
  minLength: 1,
  maxLength: 200,
  title:
    'path of names with dots, beginning with `name`, `user_id`, `session_id`, `reason`, `comment`, `metadata`, `messages`, `error` or `**`',
  pattern: String.raw`^((name|user_id|session_id|reason|comment)|(metadata|messages|error|\*\*)([.][^.]+)+)$`,
  description:
    'The path of a value, names with dots: `metadata.customer.email`, `messages.content.text`, `user_id`. `*` is any name, `**` any number of names. Lists have no name in it, and a text that is JSON is read as JSON.',
})

const pattern = closed('An own pattern.', {
  name: Type.String({
    title: 'slug: lower-case letters, digits, `_` and `-`',
    minLength: 1,
    maxLength: 30,
    pattern: '^[a-z][a-z0-9_-]*$',
    description: 'What a masked text says in its place; unique, and not the name of a detector.',
  }),
  pattern: shortText(
    500,
    'A regular expression in the syntax of RE2, which runs in linear time. It must not match an empty text.',
  ),
})

export const Masking = closed(
  'What is masked before a trace is stored. A change applies to the requests that begin after it; stored traces stay as they are.',
  {
    fields: Type.Array(field, { maxItems: 50, description: 'Paths whose values are masked whole.' }),
    detectors: Type.Array(Type.Enum(DETECTORS), {
      maxItems: DETECTORS.length,
      uniqueItems: true,
      description: 'Kinds of secrets that are found in every text.',
    }),
    patterns: Type.Array(pattern, { maxItems: 20, description: 'Own patterns, searched for in every text.' }),
  },
)
export type Masking = Static<typeof Masking>

export const NO_MASKING: Masking = { fields: [], detectors: [], patterns: [] }

/** Lists that are given. */
export const MaskingPatch = Type.Partial(Type.Object(Masking.properties), {
  additionalProperties: false,
  minProperties: 1,
  description: 'The lists that change, each as a whole.',
})
export type MaskingPatch = Static<typeof MaskingPatch>

export const MaskedCounts = Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
  description:
    'How often each rule masked something before it was stored, by the name of the detector or pattern or by the path of the field.',
  examples: [{ email: 2, 'metadata.token': 1 }],
})

export const MaskingPreviewBody = closed('Rules to try.', {
  masking: Masking,
  traces: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_PREVIEWED_TRACES,
      description: 'How many of the newest traces are read. Default: 20.',
    }),
  ),
})

const Excerpt = closed('One text that would be masked.', {
  rule: textOf('The detector, the pattern, or the path of the field.'),
  trace_id: idString('tr', 'The trace.'),
  step_id: nullableText('The step; null for a field of the trace itself.'),
  place: Type.String({ description: 'The path of the text.', examples: ['messages.content.text'] }),
  before: textOf('What stands before it, at most 30 characters.'),
  text: textOf('What would be masked, at most 60 characters.'),
  after: textOf('What stands after it, at most 30 characters.'),
})

export const MaskingPreview = closed('What rules would mask in the newest traces. Nothing is changed.', {
  traces: count('Traces that were read.'),
  steps: count('Steps that were read.'),
  masked: MaskedCounts,
  excerpts: Type.Array(Excerpt, { maxItems: MOST_EXCERPTS, description: 'The first texts, of each rule in turn.' }),
})
export type MaskingPreview = Static<typeof MaskingPreview>
