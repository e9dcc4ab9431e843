import { Type, type Static } from 'typebox'
import { DEFAULT_LIMITS } from '../limits.ts'

/** The query parameters of every list. Types describe the meaning; on the wire all values are text. */
export const ListQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        default: DEFAULT_LIMITS.listLimitDefault,
        description: `The maximum number of rows. A value above ${DEFAULT_LIMITS.listLimitMax} is lowered to ${DEFAULT_LIMITS.listLimitMax}.`,
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        description: '`next_cursor` of the previous page. All other parameters must be the same.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ListQuery = Static<typeof ListQuery>
